#include "base/build_id.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <span>

#include "base/bits.hpp"
#include "base/types.hpp"

namespace bhemu {
namespace {

struct Search {
  std::uintptr_t code;  // somewhere in the object that is looked for
  std::string id;
};

bool holds(const dl_phdr_info& object, std::uintptr_t address) {
  for (const ElfW(Phdr) & segment : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz)
      return true;
  }
  return false;
}

/// Of the notes of one segment: a header, the owner's name and the contents, each of them aligned.
std::string id_in(std::span<const u8> notes) {
  constexpr std::size_t kAlignment = 4;
  constexpr char kOwner[] = "GNU";
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t name = sizeof note;
    const std::size_t contents = name + align_up(note.n_namesz, kAlignment);
    const std::size_t end = contents + align_up(note.n_descsz, kAlignment);
    if (end > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof kOwner &&
        std::memcmp(notes.data() + name, kOwner, sizeof kOwner) == 0) {
      std::string id;
      for (const u8 byte : notes.subspan(contents, note.n_descsz))
        id += fmt::format("{:02x}", byte);
      return id;
    }
    notes = notes.subspan(end);
  }
  return "";
}

int look(dl_phdr_info* object, std::size_t, void* argument) {
  Search& search = *static_cast<Search*>(argument);
  if (!holds(*object, search.code)) return 0;
  for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (segment.p_type != PT_NOTE || !search.id.empty()) continue;
    search.id = id_in({reinterpret_cast<const u8*>(object->dlpi_addr + segment.p_vaddr),
                       static_cast<std::size_t>(segment.p_memsz)});
  }
  return 1;
}

}  // namespace

std::string build_id() {
  Search search{reinterpret_cast<std::uintptr_t>(&look), ""};
  dl_iterate_phdr(look, &search);
  return search.id;
}

}  // namespace bhemu
