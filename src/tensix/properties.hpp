// Properties of instructions that decide how the coprocessor treats them: a lookup by opcode into
// the column "properties" of isa.def.
#pragma once

#include <array>

#include "tensix/isa.hpp"

namespace bhemu::tensix {

/// Banks of SrcA and SrcB that an instruction waits for.
enum class Sources : u8 { None, A, B, Both, Fields };
enum class Banks : u8 { May, Keeps };
/// The classes of RESOURCEDECL, by number.
enum class DeclaredClass : u8 {
  Arithmetic,
  Atomic,
  Reg2Flop,
  Indirect,
  StreamConfig,
  StoreRegister,
  LoadRegister,
  Flush,
  WriteConfig,
  ReadConfig,
  Mover,
  Unpack,
  Pack,
  Mop,
  Replay,
  Other,
  Exempt,  // no class of its own: it is among the others
};

struct Properties {
  Sources sources = Sources::None;
  Banks banks = Banks::May;
  DeclaredClass declared = DeclaredClass::Other;
};

namespace detail {
constexpr std::array<Properties, 256> make_properties() {
  std::array<Properties, 256> rows{};
// In parentheses, since a row can hand its properties on to another macro.
#define PROPERTIES(sources, banks, declared) \
  (Properties{Sources::sources, Banks::banks, DeclaredClass::declared})
#define SFPU(sub_unit, latency, vb, vc, vd) (Properties{})
#define INSN(name, opcode, unit, properties, fields) rows[opcode] = properties;
#include "tensix/isa.def"
  return rows;
}
}  // namespace detail

/// By opcode.
inline constexpr std::array<Properties, 256> kProperties = detail::make_properties();

constexpr const Properties& properties_of(u32 word) {
  return kProperties[opcode_of(word)];
}

}  // namespace bhemu::tensix
