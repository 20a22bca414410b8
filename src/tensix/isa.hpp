// The instruction set as types: op::NAME is a view of an instruction word with one accessor per
// field; Info describes every row for the disassembler, the documents, the traces and the tests.
//
// Documents: see isa.def.
#pragma once

#include <array>
#include <initializer_list>
#include <string_view>

#include "base/bits.hpp"
#include "base/types.hpp"

namespace bhemu::tensix {

/// The column Unit of isa.def.
enum class Unit : u8 { None, Frontend, Sync, Cfg, Thcon, Misc, Xmov, Unpack, Pack, Fpu, Sfpu };
const char* name_of(Unit unit);

/// A typed view of an instruction word, no copying: op::SEMPOST{word}.sem_sel().
/// kOpcode is bits 31:24. The field accessors are named as in isa.def.
namespace op {
#define FIELD(name, low, width)    \
  constexpr u32 name() const {     \
    return bits(word, low, width); \
  }
#define INSN(name, opcode, unit, properties, fields) \
  struct name {                                      \
    static constexpr u8 kOpcode = opcode;            \
    static constexpr Unit kUnit = Unit::unit;        \
    u32 word = u32{opcode} << 24;                    \
    fields                                           \
  };
#include "tensix/isa.def"
}  // namespace op

struct FieldInfo {
  const char* name = nullptr;
  u8 low = 0;
  u8 width = 0;
};

inline constexpr unsigned kMaxFields = 14;

struct Info {
  const char* name = nullptr;  // null: no such instruction on Blackhole
  u8 opcode = 0;
  Unit unit = Unit::None;
  bool implemented = false;  // false: a row INSN_UNDOCUMENTED
  u8 fields_used = 0;
  std::array<FieldInfo, kMaxFields> fields{};
};

namespace detail {
constexpr Info make_info(const char* name, u8 opcode, Unit unit, bool implemented,
                         std::initializer_list<FieldInfo> fields) {
  Info info{name, opcode, unit, implemented, 0, {}};
  for (const FieldInfo& field : fields) info.fields[info.fields_used++] = field;
  return info;
}

constexpr std::array<Info, 256> make_table() {
  std::array<Info, 256> table{};
#define FIELD(name, low, width) FieldInfo{#name, low, width},
#define INSN(name, opcode, unit, properties, fields) \
  table[opcode] = make_info(#name, opcode, Unit::unit, true, {fields});
#define INSN_UNDOCUMENTED(name, opcode, unit, rule, properties, fields) \
  table[opcode] = make_info(#name, opcode, Unit::unit, false, {fields});
#include "tensix/isa.def"
  return table;
}
}  // namespace detail

/// By opcode.
inline constexpr std::array<Info, 256> kInfo = detail::make_table();

constexpr u8 opcode_of(u32 word) {
  return static_cast<u8>(word >> 24);
}
constexpr const Info& info_of_word(u32 word) {
  return kInfo[opcode_of(word)];
}

/// Looks a mnemonic up; null when there is none.
const Info* find_instruction(std::string_view name);

/// One field of an instruction to be encoded.
struct FieldValue {
  std::string_view name;
  u32 value = 0;
};

/// The word of `Op` with the named fields set: encode<op::SEMPOST>({{"sem_sel", 2}}).
/// In a constant expression an unknown field or a value that does not fit does not compile;
/// at run time it is a CHECK.
constexpr u32 encode_fields(const Info& info, std::initializer_list<FieldValue> values);
template <class Op>
constexpr u32 encode(std::initializer_list<FieldValue> values = {}) {
  return encode_fields(kInfo[Op::kOpcode], values);
}

[[noreturn]] void bad_encoding(const Info& info, std::string_view field);

constexpr u32 encode_fields(const Info& info, std::initializer_list<FieldValue> values) {
  u32 word = u32{info.opcode} << 24;
  for (const FieldValue& value : values) {
    bool found = false;
    for (unsigned i = 0; i < info.fields_used; ++i) {
      const FieldInfo& field = info.fields[i];
      if (value.name != field.name) continue;
      if (bits(value.value, 0, field.width) != value.value) bad_encoding(info, value.name);
      word = with_bits(word, field.low, field.width, value.value);
      found = true;
    }
    if (!found) bad_encoding(info, value.name);
  }
  return word;
}

}  // namespace bhemu::tensix
