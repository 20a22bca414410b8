#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "riscv/guest.hpp"

namespace bhemu::riscv {
namespace {

u32 read(Guest& guest, u32 csr) {
  EXPECT_EQ(guest.execute({encode_csr(Op::csrrs, 10, csr, 0)}), Outcome::Ok) << csr;
  return guest.core.x[10];
}
void write(Guest& guest, u32 csr, u32 value) {
  guest.core.x[11] = value;
  EXPECT_EQ(guest.execute({encode_csr(Op::csrrw, 0, csr, 11)}), Outcome::Ok) << csr;
}

TEST(Csr, constants_and_reset_values) {
  static constexpr std::pair<u32, u32> kValues[] = {
      {0x003, 0},          {0x008, 0}, {0x009, 0}, {0x00A, 0},  {0x300, 0x80006600},
      {0x301, 0x40201123}, {0x320, 0}, {0x323, 0}, {0x324, 0},  {0x7C0, 0x00020000},
      {0x7C1, 0},          {0x7C2, 0}, {0x7C3, 0}, {0x7C4, 0},  {0x7C5, 0},
      {0x7C6, 0},          {0xB03, 0}, {0xB04, 0}, {0xB83, 0},  {0xB84, 0},
      {0xBCA, 0},          {0xC20, 0}, {0xC21, 0}, {0xC22, 16}, {0xF14, 0},
  };
  Guest guest;
  for (const auto& [csr, value] : kValues) EXPECT_EQ(read(guest, csr), value) << std::hex << csr;
}

TEST(Csr, storage_keeps_the_bits_that_exist) {
  static constexpr std::pair<u32, u32> kMasks[] = {
      {0x003, 0xFF}, {0x009, 1},   {0x00A, 3},   {0x320, 0x1D}, {0x7C0, ~kCfg0DisTTStatusReg},
      {0x7C1, ~0u},  {0x7C2, ~0u}, {0x7C3, ~0u}, {0x7C4, ~0u},  {0x7C5, ~0u},
      {0x7C6, ~0u},  {0xB03, ~0u}, {0xB84, ~0u}, {0xBCA, ~0u},  {0xC20, ~0u},
      {0xC21, ~0u},  {0xC22, ~0u}, {0xBC2, ~0u}, {0xBC9, ~0u},
  };
  Guest guest;
  for (const auto& [csr, mask] : kMasks) {
    if (csr == 0xB03) write(guest, 0x7C0, 0);  // PmcClrOnRd off again
    write(guest, csr, mask);
    EXPECT_EQ(read(guest, csr), mask) << std::hex << csr;
    if (csr != 0x7C0) write(guest, csr, ~0u);
    if (csr != 0x7C0) {
      EXPECT_EQ(read(guest, csr), mask) << std::hex << csr;
    }
  }
  EXPECT_TRUE(guest.bus.faults.empty());
}

TEST(Csr, set_and_clear_combine_and_x0_does_not_write) {
  Guest guest;
  write(guest, 0x7C3, 0xF0);
  guest.core.x[11] = 0x0F;
  guest.execute({encode_csr(Op::csrrs, 12, 0x7C3, 11), encode_csr(Op::csrrc, 13, 0x7C3, 11),
                 encode_csr(Op::csrrsi, 14, 0x7C3, 3), encode_csr(Op::csrrci, 15, 0x7C3, 1),
                 encode_csr(Op::csrrwi, 16, 0x7C3, 31)});
  EXPECT_EQ(guest.core.x[12], 0xF0u);
  EXPECT_EQ(guest.core.x[13], 0xFFu);
  EXPECT_EQ(guest.core.x[14], 0xF0u);
  EXPECT_EQ(guest.core.x[15], 0xF3u);
  EXPECT_EQ(guest.core.x[16], 0xF2u);
  EXPECT_EQ(read(guest, 0x7C3), 31u);
  read(guest, 0x301);
  EXPECT_TRUE(guest.bus.faults.empty());  // csrrs with x0 is no write
}

TEST(Csr, writing_a_read_only_one_warns_and_does_nothing) {
  for (const u32 csr : {0x008u, 0x300u, 0x301u, 0xF14u}) {
    Guest guest;
    const u32 before = read(guest, csr);
    write(guest, csr, ~before);
    EXPECT_EQ(guest.fault(), Rule::RiscvReadOnlyCsr);
    EXPECT_EQ(read(guest, csr), before);
  }
}

TEST(Csr, ones_that_do_not_exist_fault) {
  // fflags, frm, vcsr, mtvec, mepc, mip, time
  for (const u32 csr : {0x001u, 0x002u, 0x00Fu, 0x305u, 0x341u, 0x344u, 0xC01u}) {
    Guest guest;
    EXPECT_EQ(guest.execute({encode_csr(Op::csrrs, 10, csr, 0)}), Outcome::Stop);
    EXPECT_EQ(guest.fault(), Rule::RiscvUnknownCsr);
  }
}

TEST(Csr, counters_count_and_have_writable_aliases) {
  Guest guest;
  guest.core.cycle = 0x1'0000'0000 - 3;  // the tile's clock; the core was reset at 0
  EXPECT_EQ(read(guest, 0xB00), 0xFFFFFFFDu);
  EXPECT_EQ(read(guest, 0xC80), 0u);
  EXPECT_EQ(read(guest, 0xC00), 0xFFFFFFFFu);
  EXPECT_EQ(read(guest, 0xB80), 1u);
  EXPECT_EQ(read(guest, 0xC02), 4u);
  write(guest, 0xC02, 1000);
  EXPECT_EQ(read(guest, 0xB02), 1001u);
  write(guest, 0xB82, 7);
  EXPECT_EQ(read(guest, 0xC82), 7u);
  write(guest, 0xC80, 9);
  EXPECT_EQ(read(guest, 0xB80), 9u);
  EXPECT_EQ(guest.core.cycle, 0x1'0000'0000 - 3 + guest.core.instret);  // the tile's clock goes on
}

TEST(Csr, performance_counters_clear_on_read_when_told_to) {
  Guest guest;
  write(guest, 0xB03, 5);
  write(guest, 0xB83, 6);
  EXPECT_EQ(read(guest, 0xB03), 5u);
  write(guest, 0x7C0, kCfg0PmcClrOnRd);
  EXPECT_EQ(read(guest, 0xB03), 5u);
  EXPECT_EQ(read(guest, 0xB03), 0u);
  EXPECT_EQ(read(guest, 0xB83), 6u);
  write(guest, 0x323, 1);
  EXPECT_EQ(guest.fault(), Rule::RiscvHpmEvent);
}

TEST(Csr, status_is_live_until_frozen) {
  Guest guest(CoreId::Trisc1);
  EXPECT_EQ(read(guest, 0xBC0), 0x1000u + 0xBC0);
  EXPECT_EQ(read(guest, 0xBC6), 0x1000u + 0xBC6);
  write(guest, 0xBC6, 5);
  EXPECT_EQ(guest.bus.csr_writes.size(), 1u);
  write(guest, 0x7C0, kCfg0DisTTStatusReg);
  guest.bus.status_base = 0;
  EXPECT_EQ(read(guest, 0xBC0), 0x1000u + 0xBC0);
  EXPECT_EQ(read(guest, 0xBC6), 0x1000u + 0xBC6);
  write(guest, 0xBC6, 5);
  EXPECT_EQ(read(guest, 0xBC6), 5u);
  write(guest, 0x7C0, 0);
  EXPECT_EQ(read(guest, 0xBC6), 0xBC6u);
}

TEST(Csr, stream_status_is_scratch_on_brisc_and_ncrisc) {
  for (const CoreId id : {CoreId::Brisc, CoreId::Ncrisc}) {
    Guest guest(id);
    write(guest, 0xBC2, 0xABCD);
    EXPECT_EQ(read(guest, 0xBC2), 0xABCDu);
    EXPECT_EQ(read(guest, 0xBC1), 0x1000u + 0xBC1);
    EXPECT_TRUE(guest.bus.csr_writes.empty());
  }
}

/// fcsr after the instruction with f0, f1 and f2, from fcsr 0.
u32 flags_after(u32 word, u32 f0, u32 f1, u32 f2 = 0) {
  Guest guest;
  guest.core.f[0] = f0;
  guest.core.f[1] = f1;
  guest.core.f[2] = f2;
  EXPECT_EQ(guest.execute({word}), Outcome::Ok);
  return read(guest, 0x003);
}

TEST(Csr, fcsr_accrues_what_scalar_operations_raise) {
  constexpr u32 kAdd = 0x001071D3, kMul = 0x101071D3, kMadd = 0x101071C3, kLess = 0xA01011D3;
  constexpr u32 kToInt = 0xC00071D3, kNarrow = 0x440071D3, kMove = 0xE00001D3;
  constexpr u32 kOne = 0x3F800000, kInfinity = 0x7F800000, kLargest = 0x7F7FFFFF;
  EXPECT_EQ(flags_after(kAdd, kOne, kOne), 0u);
  EXPECT_EQ(flags_after(kAdd, kOne, 0x33000000), 0x01u);  // inexact
  EXPECT_EQ(flags_after(kAdd, kInfinity, kInfinity | 0x80000000), 0x10u);
  EXPECT_EQ(flags_after(kAdd, kLargest, kLargest), 0x05u);
  EXPECT_EQ(flags_after(kMul, 0x00800000, 0x3F000000), 0x03u) << "flushed";
  EXPECT_EQ(flags_after(kMul, 0x00000001, kOne), 0u) << "a denormal is zero";
  EXPECT_EQ(flags_after(kMadd, 0, kInfinity, 0x7FC00000), 0x10u);
  EXPECT_EQ(flags_after(kLess, kOne, 0x7FC00000), 0x10u);
  EXPECT_EQ(flags_after(kToInt, 0x4F000000, 0), 0x10u);
  EXPECT_EQ(flags_after(kToInt, 0x3FC00000, 0), 0x01u);
  EXPECT_EQ(flags_after(kNarrow, 0x47800000, 0), 0x05u);
  EXPECT_EQ(flags_after(kMove, 0x7F800001, 0), 0u);
  Guest guest;
  write(guest, 0x003, 0xE8);
  guest.core.f[0] = guest.core.f[1] = kLargest;
  EXPECT_EQ(guest.execute({kAdd}), Outcome::Ok);
  EXPECT_EQ(read(guest, 0x003), 0xEDu) << "flags stay until they are written";
}

TEST(Csr, fcsr_accrues_what_active_vector_elements_raise) {
  const auto flags = [](u32 mask) {
    Guest guest(CoreId::Trisc2);
    const auto set = [&](u32 reg, std::array<u32, 4> values) {
      std::memcpy(guest.core.v.reg[reg].data(), values.data(), 16);
    };
    set(0, {mask, 0, 0, 0});
    set(1, {0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x00800000});
    set(2, {0x33000000, 0x7F7FFFFF, 0xFF800000, 0x80800001});
    guest.core.x[1] = 4;
    constexpr u32 kVsetvli = 0x10u << 20 | 1 << 15 | 7 << 12 | 0x57;      // e32, m1
    constexpr u32 kVfadd = 2u << 20 | 1 << 15 | 1 << 12 | 3 << 7 | 0x57;  // v3, v2, v1, v0.t
    EXPECT_EQ(guest.execute({kVsetvli, kVfadd}), Outcome::Ok);
    return guest.core.csr.fcsr;
  };
  EXPECT_EQ(flags(0), 0u);
  EXPECT_EQ(flags(1), 0x01u);
  EXPECT_EQ(flags(2), 0x05u);
  EXPECT_EQ(flags(4), 0x10u);
  EXPECT_EQ(flags(8), 0x03u);
  EXPECT_EQ(flags(15), 0x17u);
}

TEST(Core, leaves_reset_with_every_register_zero) {
  for (const CoreId id : {CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc2}) {
    Guest guest(id);
    guest.core.x.fill(5);
    guest.core.f.fill(5);
    guest.core.v.reg[3].fill(5);
    guest.core.reset(0x1000);
    for (u32 i = 0; i < 32; ++i) EXPECT_EQ(guest.core.x[i], 0u) << "x" << i;  // sp and gp, too
    for (const u32 value : guest.core.f) EXPECT_EQ(value, 0u);
    for (const u8 value : guest.core.v.reg[3]) EXPECT_EQ(value, 0u);
  }
}

TEST(Csr, mret_returns_and_handlers_must_not_write_csrs) {
  Guest guest(CoreId::Ncrisc);
  guest.memory.write_words(0x3000, {encode_csr(Op::csrrs, 10, 0xBCA, 0), match_of(Op::mret)});
  guest.core.enter_interrupt(0x3000);
  EXPECT_EQ(guest.steps(2), Outcome::Ok);
  EXPECT_EQ(guest.core.x[10], 0x1000u);
  EXPECT_EQ(guest.core.pc, 0x1000u);
  guest.core.enter_interrupt(0x4000);
  EXPECT_EQ(guest.execute({encode_csr(Op::csrrwi, 0, 0x7C3, 1)}), Outcome::Stop);
  EXPECT_EQ(guest.fault(), Rule::RiscvHandlerCsrWrite);
}

}  // namespace
}  // namespace bhemu::riscv
