// Programs for baby RISC-V cores: 32-bit little-endian RISC-V ELF files, read with elfutils.
//
// A segment has the address at which it runs and the address at which it is loaded; the two differ
// for the initial contents of a core's local memory (LDM), which firmware copies from L1.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace bhemu::host {

struct Segment {
  u32 virtual_address = 0;
  u32 load_address = 0;  // ELF: physical address
  u32 memory_size = 0;   // what `data` leaves of it is zero
  bool executable = false;
  std::vector<u8> data;
};

struct Symbol {
  std::string name;
  u32 value = 0;
  u32 size = 0;
  bool function = false;
};

struct SourceLine {
  std::string file;
  u32 line = 0;
};

/// A function and where in it the execution is; of an inlined one, as of a called one.
struct SourceFrame {
  std::string function;
  std::string file;
  u32 line = 0;

  /// Belongs to a kernel library or to firmware, not to who wrote the kernel.
  bool is_library() const;
  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

class Elf {
 public:
  /// Throws InputError: not ELF, foreign class, byte order or machine, truncated, a segment outside
  /// L1 and LDM, segments that overlap, nothing to load.
  static Elf load(const std::string& path);
  static Elf parse(std::string name, std::vector<u8> bytes);

  Elf(Elf&&) noexcept;
  Elf& operator=(Elf&&) noexcept;
  ~Elf();

  const std::string& name() const { return name_; }
  u32 entry() const { return entry_; }
  const std::vector<Segment>& segments() const { return segments_; }
  const std::vector<Symbol>& symbols() const { return symbols_; }

  const Symbol* symbol(std::string_view name) const;
  /// The contents of a section by its name; empty when there is none.
  std::vector<u8> section(std::string_view name) const;
  /// The function that contains `pc`, by the symbol table; null when none does.
  const Symbol* function_at(u32 pc) const;
  /// The source line of `pc`, from DWARF when the file has it.
  std::optional<SourceLine> line_at(u32 pc) const;
  /// The function at `pc` and those into which it is inlined, innermost first; empty without DWARF.
  std::vector<SourceFrame> frames_at(u32 pc) const;

  /// The part that goes to L1 as one piece from `base`, the lowest load address of it, with gaps
  /// and uninitialised memory zero: a kernel, which runs from wherever it is put.
  struct Flat {
    u32 base = 0;
    std::vector<u8> bytes;
  };
  /// Throws InputError when a segment with contents is loaded to LDM: nobody would copy it there.
  Flat flatten() const;

 private:
  struct Dwarf;

  Elf() = default;
  std::string name_;
  std::vector<u8> bytes_;  // DWARF refers to it
  u32 entry_ = 0;
  std::vector<Segment> segments_;
  std::vector<Symbol> symbols_;  // by value
  std::unique_ptr<Dwarf> dwarf_;
};

inline constexpr u32 kLdmStart = 0xFFB00000;
inline constexpr u32 kLdmEnd = 0xFFB02000;

}  // namespace bhemu::host
