#include "shim/instruction.hpp"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace bhemu::shim {
namespace {

constexpr u64 kPage = 4096;
constexpr u8 kAddressSizePrefix = 0x67;

/// Instruction bytes may end at the end of what is mapped.
std::size_t copy_code(u64 address, u8* to, std::size_t bytes) {
  const u64 left = kPage - address % kPage;
  if (left >= bytes) {
    std::memcpy(to, reinterpret_cast<const void*>(address), bytes);
    return bytes;
  }
  std::memcpy(to, reinterpret_cast<const void*>(address), left);
  const iovec local{to + left, bytes - left};
  const iovec remote{reinterpret_cast<void*>(address + left), bytes - left};
  const ssize_t more = ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0);
  return left + (more > 0 ? static_cast<std::size_t>(more) : 0);
}

bool is_segment_prefix(u8 byte) {
  return byte == 0x26 || byte == 0x2E || byte == 0x36 || byte == 0x3E || byte == 0x64 ||
         byte == 0x65;
}

}  // namespace

unsigned gpr_number(ZydisRegister name) {
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
  if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64) return kGprs;
  return static_cast<unsigned>(ZydisRegisterGetId(whole));
}

bool Instruction::fetch(u64 address) {
  const std::size_t count = copy_code(address, bytes_.data(), bytes_.size());
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return ZYAN_SUCCESS(
      ZydisDecoderDecodeFull(&decoder, bytes_.data(), count, &info_, operands_.data()));
}

std::string Instruction::text(u64 address) const {
  ZydisFormatter formatter;
  ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
  std::array<char, 128> buffer{};
  ZydisFormatterFormatInstruction(&formatter, &info_, operands_.data(), info_.operand_count_visible,
                                  buffer.data(), buffer.size(), address, ZYAN_NULL);
  return fmt::format("{:02x}: {}", fmt::join(bytes(), " "), buffer.data());
}

bool Instruction::address_of(const ZydisDecodedOperand& operand, const Frame& frame,
                             u64& address) const {
  if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.type != ZYDIS_MEMOP_TYPE_MEM)
    return false;
  const ZydisDecodedOperandMem& mem = operand.mem;
  u64 sum = mem.disp.has_displacement ? static_cast<u64>(mem.disp.value) : 0;
  if (mem.base == ZYDIS_REGISTER_RIP || mem.base == ZYDIS_REGISTER_EIP) {
    sum += frame.rip() + info_.length;
  } else if (mem.base != ZYDIS_REGISTER_NONE) {
    sum += frame.gpr(gpr_number(mem.base));
  }
  if (mem.index != ZYDIS_REGISTER_NONE) {
    const unsigned index = gpr_number(mem.index);
    if (index == kGprs) return false;
    sum += frame.gpr(index) * mem.scale;
  }
  if (info_.address_width == 32) sum = static_cast<u32>(sum);
  // POP [rsp + n] counts from behind what it pops (Intel SDM, POP).
  if (info_.mnemonic == ZYDIS_MNEMONIC_POP && mem.base == ZYDIS_REGISTER_RSP)
    sum += info_.operand_width / 8;
  if (mem.segment == ZYDIS_REGISTER_FS || mem.segment == ZYDIS_REGISTER_GS)
    sum += segment_base(mem.segment == ZYDIS_REGISTER_GS);
  address = sum;
  return true;
}

unsigned Instruction::free_register() const {
  // RSP and RBP are no plain bases in a ModRM byte.
  for (const unsigned candidate : {kRsi, kRdi, kRbx, kRcx, kRdx, kRax}) {
    const bool used = std::ranges::any_of(operands(), [&](const ZydisDecodedOperand& operand) {
      return operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
             gpr_number(operand.reg.value) == candidate;
    });
    if (!used) return candidate;
  }
  return kGprs;
}

bool Instruction::uses_vectors() const {
  return std::ranges::any_of(operands(), [](const ZydisDecodedOperand& operand) {
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) return false;
    switch (ZydisRegisterGetClass(operand.reg.value)) {
      case ZYDIS_REGCLASS_GPR8:
      case ZYDIS_REGCLASS_GPR16:
      case ZYDIS_REGCLASS_GPR32:
      case ZYDIS_REGCLASS_GPR64:
      case ZYDIS_REGCLASS_FLAGS:
        return false;
      default:
        return true;
    }
  });
}

/// Segments and address sizes went into the address already.
bool Instruction::is_skipped_prefix(std::size_t at) const {
  if (at >= info_.raw.prefix_count) return false;
  const u8 byte = bytes_[at];
  return is_segment_prefix(byte) || byte == kAddressSizePrefix;
}

std::size_t Instruction::with_base(unsigned base, std::array<u8, 16>& code) const {
  constexpr u8 kIndexAndBase = 0x03;     // REX.X and REX.B
  constexpr u8 kNotIndexAndBase = 0x60;  // the same in VEX, EVEX and XOP, inverted
  const ZydisDecodedInstructionRaw& raw = info_.raw;
  const bool has_modrm = (info_.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0;
  // MOV between the accumulator and an address of eight bytes: there is the same with a ModRM byte.
  const bool is_moffs = !has_modrm && info_.mnemonic == ZYDIS_MNEMONIC_MOV &&
                        info_.opcode >= 0xA0 && info_.opcode <= 0xA3;
  if (!has_modrm && !is_moffs) return 0;
  const std::size_t head = has_modrm ? raw.modrm.offset : raw.disp.offset;
  std::size_t out = 0;
  for (std::size_t at = 0; at < head; ++at) {
    u8 byte = bytes_[at];
    if (is_skipped_prefix(at)) continue;
    const bool rex = (info_.attributes & ZYDIS_ATTRIB_HAS_REX) != 0 && at == raw.rex.offset;
    if (rex) byte = static_cast<u8>(byte & ~kIndexAndBase);
    const bool long_vex = info_.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && raw.vex.size == 3 &&
                          at == raw.vex.offset + 1u;
    const bool evex =
        info_.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && at == raw.evex.offset + 1u;
    const bool xop = info_.encoding == ZYDIS_INSTRUCTION_ENCODING_XOP && at == raw.xop.offset + 1u;
    if (long_vex || evex || xop) byte |= kNotIndexAndBase;
    code[out++] = byte;
  }
  if (is_moffs) {
    constexpr std::array<u8, 4> kWithModrm = {0x8A, 0x8B, 0x88, 0x89};
    code[out - 1] = kWithModrm[info_.opcode - 0xA0u];
    code[out++] = static_cast<u8>(base);
    return out;
  }
  code[out++] = static_cast<u8>(raw.modrm.reg << 3 | base);
  const bool has_sib = raw.modrm.rm == 4;
  const std::size_t tail = head + 1u + (has_sib ? 1 : 0) + raw.disp.size / 8u;
  for (std::size_t at = tail; at < info_.length; ++at) code[out++] = bytes_[at];
  return out;
}

}  // namespace bhemu::shim
