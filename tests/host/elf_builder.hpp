// Builds small ELF files in memory, right or wrong in the way that a test wants.
#pragma once

#include <elf.h>

#include <cstring>
#include <vector>

#include "base/types.hpp"

namespace bhemu::test {

struct SegmentSpec {
  u32 virtual_address = 0;
  u32 load_address = 0;
  std::vector<u8> data;
  u32 memory_size = 0;
  u32 flags = PF_R | PF_X;
};

class ElfBuilder {
 public:
  Elf32_Ehdr header{};
  std::vector<SegmentSpec> segments;

  ElfBuilder() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof(Elf32_Ehdr);
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_phoff = sizeof(Elf32_Ehdr);
  }

  ElfBuilder& code(u32 address, std::vector<u32> words) {
    std::vector<u8> bytes(words.size() * 4);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return segment(address, address, std::move(bytes));
  }
  ElfBuilder& segment(u32 virtual_address, u32 load_address, std::vector<u8> data,
                      u32 memory_size = 0) {
    const u32 size = memory_size != 0 ? memory_size : static_cast<u32>(data.size());
    segments.push_back({virtual_address, load_address, std::move(data), size, PF_R | PF_X});
    return *this;
  }
  ElfBuilder& entry(u32 address) {
    header.e_entry = address;
    return *this;
  }

  std::vector<u8> build() const {
    Elf32_Ehdr head = header;
    head.e_phnum = static_cast<Elf32_Half>(segments.size());
    u32 offset = sizeof(Elf32_Ehdr) + static_cast<u32>(segments.size() * sizeof(Elf32_Phdr));
    std::vector<u8> bytes(offset);
    std::memcpy(bytes.data(), &head, sizeof head);
    for (size_t i = 0; i < segments.size(); ++i) {
      Elf32_Phdr program{};
      program.p_type = PT_LOAD;
      program.p_offset = offset;
      program.p_vaddr = segments[i].virtual_address;
      program.p_paddr = segments[i].load_address;
      program.p_filesz = static_cast<u32>(segments[i].data.size());
      program.p_memsz = segments[i].memory_size;
      program.p_flags = segments[i].flags;
      std::memcpy(bytes.data() + sizeof head + i * sizeof program, &program, sizeof program);
      bytes.insert(bytes.end(), segments[i].data.begin(), segments[i].data.end());
      offset += program.p_filesz;
    }
    return bytes;
  }
};

}  // namespace bhemu::test
