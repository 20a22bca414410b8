#include "host/program/elf.hpp"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "host/error.hpp"
#include "host/file.hpp"

namespace bhemu::host {
namespace {

constexpr size_t kMaxSegments = 64;

struct ElfCloser {
  void operator()(::Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<::Elf, ElfCloser>;

bool within(u64 address, u64 size, u64 start, u64 end) {
  return address >= start && address <= end && size <= end - address;
}
bool in_l1(u64 address, u64 size) {
  return within(address, size, 0, kL1Size);
}
bool in_ldm(u64 address, u64 size) {
  return within(address, size, kLdmStart, kLdmEnd);
}

ElfHandle open(const std::string& name, std::vector<u8>& bytes) {
  if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    throw InputError(name, "", "not an ELF file");
  if (bytes.size() < sizeof(Elf32_Ehdr))
    throw InputError(name, "", "truncated: shorter than an ELF header");
  if (bytes[EI_CLASS] != ELFCLASS32)
    throw InputError(name, "", "a 64-bit ELF file; the baby RISC-V cores run 32-bit code");
  if (bytes[EI_DATA] != ELFDATA2LSB)
    throw InputError(name, "", "a big-endian ELF file; the baby RISC-V cores are little-endian");
  elf_version(EV_CURRENT);
  ElfHandle elf(elf_memory(reinterpret_cast<char*>(bytes.data()), bytes.size()));
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF)
    throw InputError(name, "", fmt::format("damaged ELF file: {}", elf_errmsg(-1)));
  return elf;
}

GElf_Ehdr checked_header(const std::string& name, ::Elf* elf, size_t file_size) {
  GElf_Ehdr header{};
  if (gelf_getehdr(elf, &header) == nullptr)
    throw InputError(name, "", fmt::format("damaged ELF header: {}", elf_errmsg(-1)));
  if (header.e_machine != EM_RISCV)
    throw InputError(
        name, "",
        fmt::format("made for machine {}, not for RISC-V ({})", header.e_machine, int{EM_RISCV}));
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
    throw InputError(name, "", "not linked: an object file, not an executable");
  if ((header.e_flags & EF_RISCV_RVC) != 0)
    throw InputError(
        name, "",
        "has compressed instructions, which the baby RISC-V cores do not have: compile "
        "and link with -march=rv32im_zicsr_zba_zbb, without the c");
  if (header.e_phnum == 0) throw InputError(name, "", "no program headers: nothing to load");
  const u64 table_end = header.e_phoff + u64{header.e_phnum} * header.e_phentsize;
  if (header.e_phentsize != sizeof(Elf32_Phdr) || table_end > file_size)
    throw InputError(name, "", "truncated: the program headers lie outside the file");
  if (header.e_phnum > kMaxSegments)
    throw InputError(
        name, "",
        fmt::format("{} program headers; at most {} make sense", header.e_phnum, kMaxSegments));
  return header;
}

Segment read_segment(const std::string& name, unsigned index, const GElf_Phdr& header,
                     const std::vector<u8>& bytes) {
  const std::string place = fmt::format("segment {}", index);
  if (header.p_offset > bytes.size() || header.p_filesz > bytes.size() - header.p_offset)
    throw InputError(name, place, "truncated: its contents lie outside the file");
  if (header.p_filesz > header.p_memsz)
    throw InputError(name, place, "larger in the file than in memory");
  const auto check = [&](u64 address, u64 size, const char* what) {
    if (in_l1(address, size) || in_ldm(address, size)) return;
    throw InputError(
        name, place,
        fmt::format("{} address {:#x} with {} bytes is neither in L1 (up to {:#x}) nor "
                    "in local memory ({:#x} to {:#x})",
                    what, address, size, kL1Size, kLdmStart, kLdmEnd));
  };
  check(header.p_vaddr, header.p_memsz, "run");
  // Only what the file holds is ever at the load address; the rest is cleared where it runs.
  const bool moved = header.p_paddr != header.p_vaddr;
  check(header.p_paddr, moved ? header.p_filesz : header.p_memsz, "load");
  Segment segment;
  segment.virtual_address = static_cast<u32>(header.p_vaddr);
  segment.load_address = static_cast<u32>(header.p_paddr);
  segment.memory_size = static_cast<u32>(header.p_memsz);
  segment.executable = (header.p_flags & PF_X) != 0;
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(header.p_offset);
  segment.data.assign(begin, begin + static_cast<std::ptrdiff_t>(header.p_filesz));
  return segment;
}

/// Bytes that the segment takes at its load address.
u32 load_size(const Segment& segment) {
  const auto data_size = static_cast<u32>(segment.data.size());
  return segment.load_address == segment.virtual_address ? segment.memory_size : data_size;
}

bool overlap(u64 a, u64 a_size, u64 b, u64 b_size) {
  return a_size != 0 && b_size != 0 && a < b + b_size && b < a + a_size;
}

void check_overlaps(const std::string& name, const std::vector<Segment>& segments) {
  for (size_t i = 0; i < segments.size(); ++i)
    for (size_t j = i + 1; j < segments.size(); ++j) {
      const Segment& a = segments[i];
      const Segment& b = segments[j];
      const bool load = overlap(a.load_address, load_size(a), b.load_address, load_size(b));
      const bool run = overlap(a.virtual_address, a.memory_size, b.virtual_address, b.memory_size);
      if (load || run)
        throw InputError(name, fmt::format("segment {}", j),
                         fmt::format("overlaps segment {} at {:#x}", i,
                                     load ? std::max(a.load_address, b.load_address)
                                          : std::max(a.virtual_address, b.virtual_address)));
    }
}

std::vector<Symbol> read_symbols(::Elf* elf) {
  std::vector<Symbol> symbols;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) continue;
    for (size_t i = 0; i < data->d_size / header.sh_entsize; ++i) {
      GElf_Sym symbol{};
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
      const int type = GELF_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || type == STT_SECTION || type == STT_FILE) continue;
      const char* text = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (text == nullptr || *text == '\0' || *text == '$') continue;
      symbols.push_back({text, static_cast<u32>(symbol.st_value), static_cast<u32>(symbol.st_size),
                         type == STT_FUNC});
    }
  }
  std::stable_sort(symbols.begin(), symbols.end(),
                   [](const Symbol& a, const Symbol& b) { return a.value < b.value; });
  return symbols;
}

}  // namespace

struct Elf::Dwarf {
  ElfHandle elf;
  ::Dwarf* debug = nullptr;
  ~Dwarf() {
    if (debug != nullptr) dwarf_end(debug);
  }
};

Elf::Elf(Elf&&) noexcept = default;
Elf& Elf::operator=(Elf&&) noexcept = default;
Elf::~Elf() = default;

Elf Elf::load(const std::string& path) {
  return parse(path, read_file(path));
}

Elf Elf::parse(std::string name, std::vector<u8> bytes) {
  Elf result;
  result.name_ = std::move(name);
  result.bytes_ = std::move(bytes);
  result.dwarf_ = std::make_unique<Dwarf>();
  result.dwarf_->elf = open(result.name_, result.bytes_);
  ::Elf* elf = result.dwarf_->elf.get();
  const GElf_Ehdr header = checked_header(result.name_, elf, result.bytes_.size());
  result.entry_ = static_cast<u32>(header.e_entry);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    GElf_Phdr program{};
    if (gelf_getphdr(elf, static_cast<int>(i), &program) == nullptr)
      throw InputError(result.name_, fmt::format("segment {}", i), "damaged program header");
    if (program.p_type != PT_LOAD || program.p_memsz == 0) continue;
    result.segments_.push_back(read_segment(result.name_, i, program, result.bytes_));
  }
  if (result.segments_.empty()) throw InputError(result.name_, "", "nothing to load");
  check_overlaps(result.name_, result.segments_);
  result.symbols_ = read_symbols(elf);
  result.dwarf_->debug = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
  return result;
}

std::vector<u8> Elf::section(std::string_view name) const {
  // What is left of the file is its own: no name or size of it is trusted.
  const auto close = [](::Elf* elf) { elf_end(elf); };
  std::vector<u8> copy = bytes_;
  const std::unique_ptr<::Elf, decltype(close)> elf(
      elf_memory(reinterpret_cast<char*>(copy.data()), copy.size()), close);
  size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf.get(), &names) != 0) return {};
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    const char* text = elf_strptr(elf.get(), names, header.sh_name);
    if (text == nullptr || name != text) continue;
    const Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return {};
    const auto* begin = static_cast<const u8*>(data->d_buf);
    return {begin, begin + data->d_size};
  }
  return {};
}

const Symbol* Elf::symbol(std::string_view name) const {
  for (const Symbol& symbol : symbols_)
    if (symbol.name == name) return &symbol;
  return nullptr;
}

const Symbol* Elf::function_at(u32 pc) const {
  const Symbol* best = nullptr;
  for (const Symbol& symbol : symbols_)
    if (symbol.function && symbol.value <= pc && pc - symbol.value < std::max(symbol.size, 1u))
      best = &symbol;
  return best;
}

std::optional<SourceLine> Elf::line_at(u32 pc) const {
  ::Dwarf* debug = dwarf_ ? dwarf_->debug : nullptr;
  if (debug == nullptr) return std::nullopt;
  Dwarf_Off offset = 0;
  Dwarf_Off next = 0;
  size_t header_size = 0;
  while (dwarf_nextcu(debug, offset, &next, &header_size, nullptr, nullptr, nullptr) == 0) {
    Dwarf_Die unit;
    if (dwarf_offdie(debug, offset + header_size, &unit) != nullptr) {
      ::Dwarf_Line* line = dwarf_haspc(&unit, pc) > 0 ? dwarf_getsrc_die(&unit, pc) : nullptr;
      int number = 0;
      const char* file = line ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
      if (file != nullptr && dwarf_lineno(line, &number) == 0)
        return SourceLine{file, static_cast<u32>(number)};
    }
    if (next <= offset) break;
    offset = next;
  }
  return std::nullopt;
}

namespace {

std::string normal(const char* path) {
  if (path == nullptr) return "";
  return std::filesystem::path(path).lexically_normal().string();
}

/// The place of the call by which an inlined function came to be where it is.
SourceLine call_of(Dwarf_Die& inlined, Dwarf_Files* files) {
  SourceLine line;
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &attribute), &value) == 0)
    line.file = normal(dwarf_filesrc(files, value, nullptr, nullptr));
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &attribute), &value) == 0)
    line.line = static_cast<u32>(value);
  return line;
}

/// The function at `pc` below `around` and what is inlined there, innermost first. (dwarf_getscopes
/// looks for the place where an inlined function is defined, and gives up where that is in another
/// unit, as it always is after link-time optimisation.)
std::vector<Dwarf_Die> functions_at(Dwarf_Die around, u32 pc) {
  Dwarf_Die inner;
  for (int more = dwarf_child(&around, &inner); more == 0; more = dwarf_siblingof(&inner, &inner)) {
    const int tag = dwarf_tag(&inner);
    const bool has_code = dwarf_haspc(&inner, pc) > 0;
    if (!has_code && tag != DW_TAG_namespace) continue;  // a namespace has no addresses of its own
    std::vector<Dwarf_Die> functions = functions_at(inner, pc);
    if (has_code && (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram))
      functions.push_back(inner);
    if (!functions.empty()) return functions;
  }
  return {};
}

}  // namespace

bool SourceFrame::is_library() const {
  // Our own, then those of tt-metal and tt-llk.
  static constexpr const char* kFolders[] = {"kernels/sdk/",
                                             "firmware/",
                                             "tt_metal/hw/",
                                             "tt_metal/include",
                                             "tt_metal/api/",
                                             "hw/inc/",
                                             "tt_metal/third_party/",
                                             "tt_llk",
                                             "tt-llk",
                                             "ckernels/",
                                             "hw/ckernels"};
  return std::any_of(std::begin(kFolders), std::end(kFolders),
                     [&](const char* part) { return file.find(part) != std::string::npos; });
}

std::vector<SourceFrame> Elf::frames_at(u32 pc) const {
  std::vector<SourceFrame> frames;
  ::Dwarf* debug = dwarf_ ? dwarf_->debug : nullptr;
  Dwarf_Off offset = 0;
  Dwarf_Off next = 0;
  size_t header_size = 0;
  while (debug != nullptr && frames.empty() &&
         dwarf_nextcu(debug, offset, &next, &header_size, nullptr, nullptr, nullptr) == 0) {
    Dwarf_Die unit;
    ::Dwarf_Line* line = nullptr;
    if (dwarf_offdie(debug, offset + header_size, &unit) != nullptr && dwarf_haspc(&unit, pc) > 0)
      line = dwarf_getsrc_die(&unit, pc);
    if (line != nullptr) {
      int number = 0;
      dwarf_lineno(line, &number);
      SourceLine at{normal(dwarf_linesrc(line, nullptr, nullptr)), static_cast<u32>(number)};
      Dwarf_Files* files = nullptr;
      size_t count = 0;
      dwarf_getsrcfiles(&unit, &files, &count);
      for (Dwarf_Die& function : functions_at(unit, pc)) {
        const char* name = dwarf_diename(&function);
        frames.push_back({name != nullptr ? name : "", at.file, at.line});
        at = call_of(function, files);
      }
      if (frames.empty()) frames.push_back({"", at.file, at.line});
    }
    if (next <= offset) break;
    offset = next;
  }
  return frames;
}

Elf::Flat Elf::flatten() const {
  Flat flat;
  flat.base = kL1Size;
  u32 end = 0;
  for (const Segment& segment : segments_) {
    if (in_ldm(segment.load_address, 0)) {
      if (!segment.data.empty())
        throw InputError(name_, fmt::format("segment at {:#x}", segment.load_address),
                         "a kernel cannot have initialised local memory without a load address in "
                         "L1 to copy it from");
      continue;
    }
    flat.base = std::min(flat.base, segment.load_address);
    end = std::max(end, segment.load_address + load_size(segment));
  }
  if (end <= flat.base) throw InputError(name_, "", "no code or data for L1");
  flat.bytes.assign(end - flat.base, 0);
  for (const Segment& segment : segments_)
    if (!in_ldm(segment.load_address, 0))
      std::copy(segment.data.begin(), segment.data.end(),
                flat.bytes.begin() + (segment.load_address - flat.base));
  return flat;
}

}  // namespace bhemu::host
