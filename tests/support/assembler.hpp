// A few RISC-V instructions by name, with labels: enough to write small guest programs in tests.
// Encodings from the RISC-V unprivileged specification, independent of src/riscv/isa.def.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace bhemu::test {

enum Reg : u32 {
  zero,
  ra,
  sp,
  gp,
  tp,
  t0,
  t1,
  t2,
  s0,
  s1,
  a0,
  a1,
  a2,
  a3,
  a4,
  a5,
  a6,
  a7,
  s2,
  s3,
  s4,
  s5,
  s6,
  s7,
  s8,
  s9,
  s10,
  s11,
  t3,
  t4,
  t5,
  t6,
};

class Assembler {
 public:
  explicit Assembler(u32 base = 0) : base_(base) {}

  void label(const std::string& name) { labels_[name] = here(); }
  u32 here() const { return base_ + static_cast<u32>(words_.size()) * 4; }
  void word(u32 value) { words_.push_back(value); }

  void li(Reg rd, u32 value) {
    const u32 high = (value + 0x800) & 0xFFFFF000;
    const u32 low = value - high;
    if (high != 0) word(high | rd << 7 | 0x37);
    if (high == 0 || low != 0) i_type(0x13, 0, rd, high == 0 ? zero : rd, low);
  }
  void addi(Reg rd, Reg rs1, i32 imm) { i_type(0x13, 0, rd, rs1, static_cast<u32>(imm)); }
  void andi(Reg rd, Reg rs1, i32 imm) { i_type(0x13, 7, rd, rs1, static_cast<u32>(imm)); }
  /// Sets the lowest bit, so that a result is never zero.
  void ori_nonzero(Reg rd) { i_type(0x13, 6, rd, rd, 1); }
  void slli(Reg rd, Reg rs1, u32 by) { i_type(0x13, 1, rd, rs1, by); }
  void add(Reg rd, Reg rs1, Reg rs2) { r_type(0, 0, rd, rs1, rs2); }
  void sub(Reg rd, Reg rs1, Reg rs2) { r_type(0x20, 0, rd, rs1, rs2); }
  void xor_(Reg rd, Reg rs1, Reg rs2) { r_type(0, 4, rd, rs1, rs2); }
  void mul(Reg rd, Reg rs1, Reg rs2) { r_type(1, 0, rd, rs1, rs2); }
  void lw(Reg rd, i32 offset, Reg rs1) { i_type(0x03, 2, rd, rs1, static_cast<u32>(offset)); }
  void lbu(Reg rd, i32 offset, Reg rs1) { i_type(0x03, 4, rd, rs1, static_cast<u32>(offset)); }
  void sw(Reg rs2, i32 offset, Reg rs1) { s_type(2, rs2, offset, rs1); }
  void sb(Reg rs2, i32 offset, Reg rs1) { s_type(0, rs2, offset, rs1); }
  void fence() { word(0x0FF0000F); }
  void beq(Reg a, Reg b, const std::string& to) { branch(0, a, b, to); }
  void bne(Reg a, Reg b, const std::string& to) { branch(1, a, b, to); }
  void blt(Reg a, Reg b, const std::string& to) { branch(4, a, b, to); }
  void bge(Reg a, Reg b, const std::string& to) { branch(5, a, b, to); }
  void bltu(Reg a, Reg b, const std::string& to) { branch(6, a, b, to); }
  void bgeu(Reg a, Reg b, const std::string& to) { branch(7, a, b, to); }
  /// Reads a CSR.
  void csrr(Reg rd, u32 csr) { i_type(0x73, 2, rd, zero, csr); }
  void j(const std::string& to) {
    fixups_.push_back({words_.size(), to});
    word(0x6F);
  }
  void call(const std::string& to) {
    fixups_.push_back({words_.size(), to});
    word(ra << 7 | 0x6F);
  }
  void ret() { word(ra << 15 | 0x67); }
  /// An endless loop that does nothing.
  void halt() { word(0x6F); }
  void ttinsn(u32 tensix) { word(tensix << 2 | tensix >> 30); }

  std::vector<u32> finish() {
    for (const auto& [index, name] : fixups_) {
      const u32 from = base_ + static_cast<u32>(index) * 4;
      const u32 by = labels_.at(name) - from;
      u32& w = words_[index];
      if ((w & 0x7F) == 0x6F) {
        w |= (by & 0x100000) << 11 | (by & 0x7FE) << 20 | (by & 0x800) << 9 | (by & 0xFF000);
      } else {
        w |= (by & 0x1000) << 19 | (by & 0x7E0) << 20 | (by & 0x1E) << 7 | (by & 0x800) >> 4;
      }
    }
    fixups_.clear();
    return words_;
  }

 private:
  void i_type(u32 opcode, u32 funct, Reg rd, Reg rs1, u32 imm) {
    word(imm << 20 | rs1 << 15 | funct << 12 | rd << 7 | opcode);
  }
  void r_type(u32 funct7, u32 funct3, Reg rd, Reg rs1, Reg rs2) {
    word(funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33);
  }
  void s_type(u32 funct, Reg rs2, i32 offset, Reg rs1) {
    const u32 imm = static_cast<u32>(offset);
    word((imm >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | funct << 12 | (imm & 0x1F) << 7 | 0x23);
  }
  void branch(u32 funct, Reg rs1, Reg rs2, const std::string& to) {
    fixups_.push_back({words_.size(), to});
    word(rs2 << 20 | rs1 << 15 | funct << 12 | 0x63);
  }

  u32 base_;
  std::vector<u32> words_;
  std::map<std::string, u32> labels_;
  std::vector<std::pair<std::size_t, std::string>> fixups_;
};

}  // namespace bhemu::test
