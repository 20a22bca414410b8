// String instructions and the few others with an operand that they do not name.
#include <algorithm>
#include <bit>
#include <cstring>

#include "shim/execute.hpp"

namespace bhemu::shim {
namespace {

enum class StringKind : u8 { Move, Store, Load, Scan, Compare, Other };

StringKind kind_of(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_MOVSB:
    case ZYDIS_MNEMONIC_MOVSW:
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_MOVSQ:
      return StringKind::Move;
    case ZYDIS_MNEMONIC_STOSB:
    case ZYDIS_MNEMONIC_STOSW:
    case ZYDIS_MNEMONIC_STOSD:
    case ZYDIS_MNEMONIC_STOSQ:
      return StringKind::Store;
    case ZYDIS_MNEMONIC_LODSB:
    case ZYDIS_MNEMONIC_LODSW:
    case ZYDIS_MNEMONIC_LODSD:
    case ZYDIS_MNEMONIC_LODSQ:
      return StringKind::Load;
    case ZYDIS_MNEMONIC_SCASB:
    case ZYDIS_MNEMONIC_SCASW:
    case ZYDIS_MNEMONIC_SCASD:
    case ZYDIS_MNEMONIC_SCASQ:
      return StringKind::Scan;
    case ZYDIS_MNEMONIC_CMPSB:
    case ZYDIS_MNEMONIC_CMPSW:
    case ZYDIS_MNEMONIC_CMPSD:
    case ZYDIS_MNEMONIC_CMPSQ:
      return StringKind::Compare;
    default:
      return StringKind::Other;
  }
}

constexpr u64 kChunk = 4096;

u64 mask_of(unsigned width) {
  return width == 8 ? ~u64{0} : (u64{1} << width * 8) - 1;
}

/// The part of RAX that an instruction of this width sets; 32 bits clear the rest.
u64 merged(u64 old, u64 value, unsigned width) {
  if (width >= 4) return value;
  return (old & ~mask_of(width)) | value;
}

std::span<u8> bytes_of(u64& value, unsigned width) {
  return {reinterpret_cast<u8*>(&value), width};
}

}  // namespace

void Executor::compare(Frame& frame, u64 left, u64 right, unsigned width) {
  const u64 top = u64{1} << (width * 8 - 1);
  const u64 difference = (left - right) & mask_of(width);
  u64 flags = frame.flags() & ~kStatusFlags;
  if (left < right) flags |= kCarryFlag;
  if (difference == 0) flags |= kZeroFlag;
  if ((difference & top) != 0) flags |= kSignFlag;
  if (((left ^ right) & (left ^ difference) & top) != 0) flags |= kOverflowFlag;
  if (((left ^ right ^ difference) & 0x10) != 0) flags |= kAdjustFlag;
  if (std::popcount(difference & 0xFF) % 2 == 0) flags |= kParityFlag;
  frame.set_flags(flags);
}

/// What a segment prefix adds to the source's address.
u64 Executor::source_segment_base() const {
  for (const ZydisDecodedOperand& row : instruction_.operands())
    if (row.type == ZYDIS_OPERAND_TYPE_MEMORY && row.mem.base == ZYDIS_REGISTER_RSI &&
        (row.mem.segment == ZYDIS_REGISTER_FS || row.mem.segment == ZYDIS_REGISTER_GS))
      return segment_base(row.mem.segment == ZYDIS_REGISTER_GS);
  return 0;
}

/// One element: registers as behind it, but for the counter.
bool Executor::string_element(Frame& frame, unsigned width, Outcome& outcome) {
  const StringKind kind = kind_of(instruction_.info().mnemonic);
  const u64 step = (frame.flags() & kDirectionFlag) != 0 ? -u64{width} : u64{width};
  const u64 source_base = source_segment_base();
  const bool uses_source = kind != StringKind::Store && kind != StringKind::Scan;
  const bool uses_target = kind != StringKind::Load;
  const u64 accumulator = frame.gpr(kRax) & mask_of(width);
  u64 first = accumulator;
  u64 second = 0;
  if (uses_source && !load(frame.gpr(kRsi) + source_base, bytes_of(first, width), outcome))
    return false;
  if ((kind == StringKind::Scan || kind == StringKind::Compare) &&
      !load(frame.gpr(kRdi), bytes_of(second, width), outcome))
    return false;
  if ((kind == StringKind::Move || kind == StringKind::Store) &&
      !store(frame.gpr(kRdi), bytes_of(first, width), outcome))
    return false;
  if (kind == StringKind::Load)
    frame.set_gpr(kRax, merged(frame.gpr(kRax), first & mask_of(width), width));
  if (kind == StringKind::Scan || kind == StringKind::Compare)
    compare(frame, first & mask_of(width), second & mask_of(width), width);
  if (uses_source) frame.set_gpr(kRsi, frame.gpr(kRsi) + step);
  if (uses_target) frame.set_gpr(kRdi, frame.gpr(kRdi) + step);
  return true;
}

/// Moves or stores many elements at once where nobody can tell; 0: one at a time, then.
u64 Executor::string_chunk(Frame& frame, unsigned width, u64 count, Outcome& outcome) {
  const StringKind kind = kind_of(instruction_.info().mnemonic);
  if ((kind != StringKind::Move && kind != StringKind::Store) ||
      (frame.flags() & kDirectionFlag) != 0 || source_segment_base() != 0)
    return 0;
  const u64 target = frame.gpr(kRdi);
  const u64 source = frame.gpr(kRsi);
  const bool moves = kind == StringKind::Move;
  const auto limit = [&](u64 address, u64 bytes) {
    bytes = std::min(bytes, kChunk - address % kChunk);
    return bus_.covers(address) == 0 ? bytes : std::min(bytes, bus_.plain(address));
  };
  u64 bytes = limit(target, std::min(count, kChunk) * width);
  if (moves) bytes = limit(source, bytes);
  bytes -= bytes % width;
  // Overlapping: each element sees what the one before has stored.
  if (bytes == 0 || (moves && source < target + bytes && target < source + bytes)) return 0;
  std::array<u8, kChunk> buffer;
  if (moves) {
    if (!load(source, {buffer.data(), bytes}, outcome)) return 0;
  } else {
    const u64 value = frame.gpr(kRax);
    for (u64 i = 0; i < bytes; i += width) std::memcpy(buffer.data() + i, &value, width);
  }
  if (!store(target, {buffer.data(), bytes}, outcome)) return 0;
  frame.set_gpr(kRdi, target + bytes);
  if (moves) frame.set_gpr(kRsi, source + bytes);
  return bytes / width;
}

Outcome Executor::string(Frame& frame) {
  const ZydisDecodedInstruction& info = instruction_.info();
  const StringKind kind = kind_of(info.mnemonic);
  const bool source = kind != StringKind::Store && kind != StringKind::Scan;
  const bool ours = (source && bus_.covers(frame.gpr(kRsi) + source_segment_base()) != 0) ||
                    (kind != StringKind::Load && bus_.covers(frame.gpr(kRdi)) != 0);
  if (!ours) return {Result::NotOurs, 0, ""};
  if (kind == StringKind::Other || info.address_width != 64)
    return refuse(frame, "this string instruction is not done on windows");
  constexpr ZydisInstructionAttributes kRepeats =
      ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
  const unsigned width = info.operand_width / 8u;
  const bool repeats = (info.attributes & kRepeats) != 0;
  const bool looks = kind == StringKind::Scan || kind == StringKind::Compare;
  const bool while_equal = (info.attributes & ZYDIS_ATTRIB_HAS_REPNE) == 0;
  Outcome outcome;
  while (!repeats || frame.gpr(kRcx) != 0) {
    u64 count = repeats ? string_chunk(frame, width, frame.gpr(kRcx), outcome) : 0;
    if (outcome.result != Result::Done) return outcome;
    if (count == 0) {
      if (!string_element(frame, width, outcome)) return outcome;
      count = 1;
    }
    if (!repeats) break;
    frame.set_gpr(kRcx, frame.gpr(kRcx) - count);
    if (looks && ((frame.flags() & kZeroFlag) != 0) != while_equal) break;
  }
  frame.set_rip(frame.rip() + info.length);
  return outcome;
}

Outcome Executor::push(Frame& frame, u64 address) {
  const unsigned width = instruction_.info().operand_width / 8u;
  u64 value = 0;
  Outcome outcome;
  const u64 stack = frame.gpr(kRsp) - width;
  if (!load(address, bytes_of(value, width), outcome) ||
      !store(stack, bytes_of(value, width), outcome))
    return outcome;
  frame.set_gpr(kRsp, stack);
  frame.set_rip(frame.rip() + instruction_.info().length);
  return outcome;
}

Outcome Executor::pop(Frame& frame, u64 address) {
  const unsigned width = instruction_.info().operand_width / 8u;
  u64 value = 0;
  Outcome outcome;
  if (!load(frame.gpr(kRsp), bytes_of(value, width), outcome) ||
      !store(address, bytes_of(value, width), outcome))
    return outcome;
  frame.set_gpr(kRsp, frame.gpr(kRsp) + width);
  frame.set_rip(frame.rip() + instruction_.info().length);
  return outcome;
}

/// MOVDIR64B: from its memory operand to the address in its register, 64 bytes at once.
Outcome Executor::move_64_bytes(Frame& frame) {
  Vector bytes{};
  const u64 target = frame.gpr(gpr_number(instruction_.operands()[0].reg.value));
  u64 source = 0;
  instruction_.address_of(instruction_.operands()[1], frame, source);
  if (!touches(target, bytes.size()) && !touches(source, bytes.size()))
    return {Result::NotOurs, 0, ""};
  Outcome outcome;
  if (!load(source, bytes, outcome) || !store(target, bytes, outcome)) return outcome;
  frame.set_rip(frame.rip() + instruction_.info().length);
  return outcome;
}

/// MASKMOVDQU: the bytes whose mask byte is negative, to the address in RDI.
Outcome Executor::masked_move(Frame& frame) {
  const ZydisDecodedInstruction& info = instruction_.info();
  const u64 target = frame.gpr(kRdi);
  if (!touches(target, 16)) return {Result::NotOurs, 0, ""};
  if (info.mnemonic == ZYDIS_MNEMONIC_MASKMOVQ || info.address_width != 64)
    return refuse(frame, "MMX and 32-bit addresses are not done on windows");
  unsigned vectors[2] = {};
  unsigned count = 0;
  for (const ZydisDecodedOperand& row : instruction_.operands())
    if (row.type == ZYDIS_OPERAND_TYPE_REGISTER && count < 2 &&
        ZydisRegisterGetClass(row.reg.value) == ZYDIS_REGCLASS_XMM)
      vectors[count++] = static_cast<unsigned>(ZydisRegisterGetId(row.reg.value));
  const Vector data = frame.vector(vectors[0]);
  const Vector mask = frame.vector(vectors[1]);
  Outcome outcome;
  for (unsigned at = 0; at < 16;) {
    unsigned end = at;
    while (end < 16 && (mask[end] & 0x80) != 0) ++end;
    if (end > at && !store(target + at, {data.data() + at, end - at}, outcome)) return outcome;
    at = end + 1;
  }
  frame.set_rip(frame.rip() + info.length);
  return outcome;
}

}  // namespace bhemu::shim
