#include <gtest/gtest.h>

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
