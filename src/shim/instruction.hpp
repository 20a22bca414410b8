// One instruction of the client's, decoded with Zydis, and what is needed to perform it elsewhere.
#pragma once

#include <Zydis/Zydis.h>

#include <array>
#include <span>
#include <string>

#include "shim/frame.hpp"

namespace bhemu::shim {

class Instruction {
 public:
  /// Reads the bytes at the frame's instruction pointer; false: there is no instruction.
  bool fetch(u64 address);

  const ZydisDecodedInstruction& info() const { return info_; }
  std::span<const ZydisDecodedOperand> operands() const {
    return {operands_.data(), info_.operand_count};
  }
  std::span<const u8> bytes() const { return {bytes_.data(), info_.length}; }
  /// For messages: bytes and Intel syntax.
  std::string text(u64 address) const;

  /// Where a memory operand lies; false when that cannot be told (gathers and the like).
  bool address_of(const ZydisDecodedOperand& operand, const Frame& frame, u64& address) const;
  /// A general register that the instruction does not use and that a ModRM byte can name alone.
  unsigned free_register() const;
  /// Whether it uses more than general registers and flags.
  bool uses_vectors() const;
  /// The same instruction with [base] as its memory operand; its length, 0 when it has no such
  /// form.
  std::size_t with_base(unsigned base, std::array<u8, 16>& code) const;

 private:
  bool is_skipped_prefix(std::size_t at) const;

  std::array<u8, ZYDIS_MAX_INSTRUCTION_LENGTH> bytes_{};
  ZydisDecodedInstruction info_{};
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands_{};
};

/// The number of a general register of any width (AH is RAX), or kGprs.
unsigned gpr_number(ZydisRegister name);

}  // namespace bhemu::shim
