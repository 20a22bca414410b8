// Vector loads and stores: unit stride, strided, indexed, segments, whole registers, masks and
// fault-only-first. The encoding is fields rather than rows: nf, mop, vm, lumop/rs2, rs1, width.
#include <fmt/format.h>

#include <cstring>

#include "riscv/disasm.hpp"
#include "riscv/vector_unit.hpp"

namespace bhemu::riscv {
namespace {

enum class Mode : u8 { UnitStride, Indexed, Strided };

struct MemoryFields {
  bool valid = false;
  bool store = false;
  bool unmasked = true;
  bool whole = false;
  bool mask = false;
  bool fault_only_first = false;
  bool ordered = false;
  Mode mode = Mode::UnitStride;
  u32 fields = 1;
  u32 width = 8;  // of the elements, or of the indices
};

MemoryFields memory_fields_of(u32 word) {
  MemoryFields m;
  const u32 width = bits(word, 12, 3);
  const u32 mop = bits(word, 26, 2);
  const u32 unit = bits(word, 20, 5);
  m.store = bit(word, 5);
  m.unmasked = bit(word, 25);
  m.fields = bits(word, 29, 3) + 1;
  m.width = width == 0 ? 8 : width == 5 ? 16 : width == 6 ? 32 : 64;
  m.mode = mop == 0 ? Mode::UnitStride : mop == 2 ? Mode::Strided : Mode::Indexed;
  m.ordered = mop == 3;
  if (bit(word, 28) || m.width > kVectorElementBits) return m;
  m.valid = true;
  if (m.mode != Mode::UnitStride || unit == 0) return m;
  const bool is_power = (m.fields & (m.fields - 1)) == 0;
  m.whole = unit == 0x08;
  m.mask = unit == 0x0B;
  m.fault_only_first = unit == 0x10 && !m.store;
  if (m.whole) m.valid = m.unmasked && is_power && (!m.store || m.width == 8);
  if (m.mask) m.valid = m.unmasked && m.fields == 1 && m.width == 8;
  if (!m.whole && !m.mask && !m.fault_only_first) m.valid = false;
  return m;
}

u32 read_element(const VectorState& v, u32 reg, u32 index, u32 eew) {
  const u32 byte = index * (eew / 8);
  u32 value = 0;
  std::memcpy(&value, &v.reg[reg + byte / kVectorBytes][byte % kVectorBytes], eew / 8);
  return value;
}

struct Group {
  u32 eew;
  u32 registers;  // of one field
  u32 elements;
};

/// The register group of one field, and whether it may be used; sets `legal`.
Group group_of(const CoreState& state, const MemoryFields& m, const VectorType& type, u32 vd,
               bool& legal) {
  if (m.whole) {
    legal = vd % m.fields == 0;
    return {m.width, m.fields, m.fields * kVectorBytes * 8 / m.width};
  }
  if (m.mask) return {8, 1, (state.csr.vl + 7) / 8};
  const u32 eew = m.mode == Mode::Indexed ? type.sew : m.width;
  const i32 emul = emul_of(type, eew);
  const u32 registers = group_size(emul);
  const bool overwrites_mask = !m.store && !m.unmasked && vd == 0;
  legal = is_group(vd, emul) && registers * m.fields <= 8 && vd + registers * m.fields <= 32 &&
          !overwrites_mask;
  return {eew, registers, state.csr.vl};
}

/// The index group must be a group, and a load must not overwrite indices that it still needs.
bool are_indices_legal(const MemoryFields& m, const VectorType& type, u32 vd, u32 vs2,
                       const Group& data) {
  const i32 emul = emul_of(type, m.width);
  if (!is_group(vs2, emul)) return false;
  if (m.store || m.width == data.eew) {
    const bool same = m.store || m.fields == 1;
    if (same) return true;
  }
  const u32 size = group_size(emul);
  const u32 total = data.registers * m.fields;
  if (vs2 + size <= vd || vd + total <= vs2) return true;
  if (m.fields > 1) return false;
  if (m.width < data.eew) return emul >= 0 && vs2 + size == vd + total;
  return vs2 == vd;
}

}  // namespace

VectorResult plan_vector_access(const CoreState& state, u32 word, VectorAccess& access) {
  const MemoryFields m = memory_fields_of(word);
  if (!m.valid) return VectorResult::Illegal;
  const VectorType type = vector_type_of(state.csr.vtype);
  if (!m.whole && (!type.valid || state.csr.vl > type.vlmax)) return VectorResult::BadType;
  const u32 vd = rd_of(word);
  const u32 vs2 = rs2_of(word);
  bool legal = true;
  const Group group = group_of(state, m, type, vd, legal);
  if (!legal) return VectorResult::Illegal;
  if (m.mode == Mode::Indexed && !are_indices_legal(m, type, vd, vs2, group))
    return VectorResult::Illegal;

  const u32 fields = m.whole ? 1 : m.fields;
  const u32 bytes = group.eew / 8;
  const u32 base = state.x[rs1_of(word)];
  access.store = m.store;
  access.fault_only_first = m.fault_only_first;
  access.bytes = static_cast<u8>(bytes);
  access.count = 0;
  for (u32 i = 0; i < group.elements; ++i) {
    if (!m.unmasked && (state.v.reg[0][i / 8] >> (i % 8) & 1) == 0) continue;
    u32 offset = i * bytes * fields;
    if (m.mode == Mode::Strided) offset = i * state.x[vs2];
    if (m.mode == Mode::Indexed) offset = read_element(state.v, vs2, i, m.width);
    for (u32 field = 0; field < fields; ++field) {
      const u32 byte = i * bytes;
      access.element[access.count++] = {
          base + offset + field * bytes,
          static_cast<u8>(vd + field * group.registers + byte / kVectorBytes),
          static_cast<u8>(byte % kVectorBytes), static_cast<u8>(i)};
    }
  }
  return VectorResult::Ok;
}

// ---- Disassembly --------------------------------------------------------------------------------

namespace {

std::string disassemble_memory(u32 word) {
  const MemoryFields m = memory_fields_of(word);
  if (!m.valid) return {};
  const char* direction = m.store ? "s" : "l";
  std::string name;
  std::string tail;
  const std::string segment = m.fields > 1 ? fmt::format("seg{}", m.fields) : std::string();
  if (m.whole && m.store) {
    name = fmt::format("vs{}r.v", m.fields);
  } else if (m.whole) {
    name = fmt::format("vl{}re{}.v", m.fields, m.width);
  } else if (m.mask) {
    name = fmt::format("v{}m.v", direction);
  } else if (m.mode == Mode::UnitStride) {
    const char* first = m.fault_only_first ? "ff" : "";
    name = fmt::format("v{}{}e{}{}.v", direction, segment, m.width, first);
  } else if (m.mode == Mode::Strided) {
    name = fmt::format("v{}s{}e{}.v", direction, segment, m.width);
    tail = fmt::format(", {}", integer_register_name(rs2_of(word)));
  } else {
    name = fmt::format("v{}{}x{}ei{}.v", direction, m.ordered ? "o" : "u", segment, m.width);
    tail = fmt::format(", v{}", rs2_of(word));
  }
  return fmt::format("{} v{}, ({}){}{}", name, rd_of(word), integer_register_name(rs1_of(word)),
                     tail, m.unmasked ? "" : ", v0.t");
}

std::string type_text(u32 vtype) {
  const VectorType type = vector_type_of(vtype);
  if (!type.valid) return fmt::format("0x{:x}", vtype);
  const std::string lmul =
      type.lmul < 0 ? fmt::format("mf{}", 1 << -type.lmul) : fmt::format("m{}", 1 << type.lmul);
  return fmt::format("e{}, {}, {}, {}", type.sew, lmul, bit(vtype, 6) ? "ta" : "tu",
                     bit(vtype, 7) ? "ma" : "mu");
}

std::string disassemble_set(u32 word) {
  const char* rd = integer_register_name(rd_of(word));
  const char* rs1 = integer_register_name(rs1_of(word));
  if (bits(word, 30, 2) == 3)
    return fmt::format("vsetivli {}, {}, {}", rd, rs1_of(word), type_text(bits(word, 20, 10)));
  if (bits(word, 30, 2) == 2)
    return fmt::format("vsetvl {}, {}, {}", rd, rs1, integer_register_name(rs2_of(word)));
  return fmt::format("vsetvli {}, {}, {}", rd, rs1, type_text(bits(word, 20, 11)));
}

/// vs1 as the form has it: a vector, a register or an immediate.
std::string second_operand(u32 word) {
  const u32 vs1 = rs1_of(word);
  switch (bits(word, 12, 3)) {
    case 3:
      return fmt::format("{}", sign_extend(vs1, 5));
    case 4:
    case 6:
      return integer_register_name(vs1);
    case 5:
      return float_register_name(vs1);
    default:
      return fmt::format("v{}", vs1);
  }
}

/// The one group that names vs1 before vs2.
bool is_multiply_add(u32 word) {
  const u32 funct3 = bits(word, 12, 3);
  const u32 funct6 = bits(word, 26, 6);
  const bool is_integer_or_float = (funct3 & 3) == 1 || (funct3 & 3) == 2;
  return is_integer_or_float && (funct6 >= 0x3C || (funct6 >= 0x28 && funct6 < 0x30));
}

}  // namespace

std::string disassemble_vector(u32 word) {
  if (is_vector_memory(word)) return disassemble_memory(word);
  const unsigned index = find_vector_row(word);
  if (index == kVectorRowCount) return {};
  const VectorRow& row = kVectorRows[index];
  if (row.form.empty()) return disassemble_set(word);
  std::array<char, 24> buffer;
  std::string text(spell(row.name, buffer));
  text += '.';
  text += spell(row.form, buffer);
  const char destination = row.bits[20];
  const u32 rd = rd_of(word);
  text += destination == 'D'   ? fmt::format(" {}", integer_register_name(rd))
          : destination == 'F' ? fmt::format(" {}", float_register_name(rd))
                               : fmt::format(" v{}", rd);
  std::string first = row.bits[7] == 't' ? fmt::format(", v{}", rs2_of(word)) : std::string();
  std::string second = row.bits[12] == 's' ? ", " + second_operand(word) : std::string();
  text += is_multiply_add(word) ? second + first : first + second;
  if (row.bits[6] == 'm' && !bit(word, 25)) text += ", v0.t";
  if (row.bits[6] == '0') text += ", v0";
  return text;
}

}  // namespace bhemu::riscv
