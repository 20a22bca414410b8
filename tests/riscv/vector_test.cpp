// Vector behaviour that QEMU does not show: floating point as silicon does it, legality, vtype.
// The integer instructions, loads and stores are compared with QEMU (qemu_test.cpp).
#include <gtest/gtest.h>

#include "riscv/guest.hpp"
#include "riscv/vector_unit.hpp"

namespace bhemu::riscv {
namespace {

u32 vsetivli(u32 rd, u32 avl, u32 vtype) {
  return 0xC0007057 | rd << 7 | avl << 15 | vtype << 20;
}
constexpr u32 kE8 = 0, kE16 = 8, kE32 = 16;

/// The word of a row, with vd 1, vs2 2, vs1 (or rs1, fs1) 3, unmasked.
u32 vector_word(std::string_view name, std::string_view form, u32 vd = 1, u32 vs2 = 2,
                u32 vs1 = 3) {
  for (const VectorRow& row : kVectorRows) {
    if (row.name != name || row.form != form) continue;
    u32 word = row.encoding.match | vd << 7;
    if (row.bits[6] == 'm') word |= 1 << 25;
    if (row.bits[7] == 't') word |= vs2 << 20;
    if (row.bits[12] == 's') word |= vs1 << 15;
    return word;
  }
  ADD_FAILURE() << name << '.' << form << " is no row";
  return 0;
}

struct VectorGuest : Guest {
  explicit VectorGuest(u32 vtype = kE32, u32 vl = 4) : Guest(CoreId::Trisc2) {
    EXPECT_EQ(execute({vsetivli(0, vl, vtype)}), Outcome::Ok);
  }
  void set(u32 reg, std::array<u32, 4> lanes) { std::memcpy(core.v.reg[reg].data(), &lanes, 16); }
  std::array<u32, 4> get(u32 reg) const {
    std::array<u32, 4> lanes;
    std::memcpy(lanes.data(), core.v.reg[reg].data(), 16);
    return lanes;
  }
};
using Lanes = std::array<u32, 4>;

constexpr u32 f(float value) {
  return std::bit_cast<u32>(value);
}

struct FloatVector {
  const char* name;
  const char* form;
  Lanes result;
};
// vs2 = 6, -2, 0.5, NaN; vs1 = 2, 3, -4, 1 (f3 = 2 for .vf); vd = 1, 1, 1, 1
const FloatVector kFloatVectors[] = {
    {"vfadd", "vv", {f(8), f(1), f(-3.5), 0x7FC00000}},
    {"vfadd", "vf", {f(8), f(0), f(2.5), 0x7FC00000}},
    {"vfsub", "vv", {f(4), f(-5), f(4.5), 0x7FC00000}},
    {"vfrsub", "vf", {f(-4), f(4), f(1.5), 0x7FC00000}},
    {"vfmul", "vv", {f(12), f(-6), f(-2), 0x7FC00000}},
    {"vfmin", "vv", {f(2), f(-2), f(-4), f(1)}},
    {"vfmax", "vf", {f(6), f(2), f(2), f(2)}},
    {"vfsgnj", "vv", {f(6), f(2), f(-0.5), 0x7F812345}},
    {"vfsgnjn", "vv", {f(-6), f(-2), f(0.5), 0xFF812345}},
    {"vfsgnjx", "vv", {f(6), f(-2), f(-0.5), 0x7F812345}},
    {"vfmadd", "vv", {f(8), f(1), f(-3.5), 0x7FC00000}},  // vs1 * vd + vs2
    {"vfnmadd", "vv", {f(-8), f(-1), f(3.5), 0x7FC00000}},
    {"vfmsub", "vv", {f(-4), f(5), f(-4.5), 0x7FC00000}},
    {"vfnmsub", "vv", {f(4), f(-5), f(4.5), 0x7FC00000}},
    {"vfmacc", "vv", {f(13), f(-5), f(-1), 0x7FC00000}},  // vs1 * vs2 + vd
    {"vfnmacc", "vf", {f(-13), f(3), f(-2), 0x7FC00000}},
    {"vfmsac", "vf", {f(11), f(-5), f(0), 0x7FC00000}},
    {"vfnmsac", "vv", {f(-11), f(7), f(3), 0x7FC00000}},
    {"vfclass", "v", {1 << 6, 1 << 1, 1 << 6, 1 << 8}},
    {"vfmv_v", "f", {f(2), f(2), f(2), f(2)}},
    {"vfslide1up", "vf", {f(2), f(6), f(-2), f(0.5)}},
    {"vfslide1down", "vf", {f(-2), f(0.5), 0x7F812345, f(2)}},
    {"vfredusum", "vs", {0x7FC00000, f(1), f(1), f(1)}},
    {"vfredosum", "vs", {0x7FC00000, f(1), f(1), f(1)}},
    {"vfredmin", "vs", {f(-2), f(1), f(1), f(1)}},
    {"vfredmax", "vs", {f(6), f(1), f(1), f(1)}},
    {"vfcvt_x_f", "v", {6, ~1u, 0, 0x7FFFFFFF}},  // 0.5 goes to even
    {"vfcvt_xu_f", "v", {6, 0, 0, 0xFFFFFFFF}},
    {"vfcvt_rtz_x_f", "v", {6, ~1u, 0, 0x7FFFFFFF}},
    {"vfmv", "s_f", {f(2), f(1), f(1), f(1)}},
};

TEST(Vector, floating_point_instructions) {
  for (const FloatVector& v : kFloatVectors) {
    VectorGuest guest;
    guest.set(1, {f(1), f(1), f(1), f(1)});
    guest.set(2, {f(6), f(-2), f(0.5), 0x7F812345});
    guest.set(3, {f(2), f(3), f(-4), f(1)});
    guest.core.f[3] = f(2);
    ASSERT_EQ(guest.execute({vector_word(v.name, v.form)}), Outcome::Ok) << v.name;
    EXPECT_EQ(guest.get(1), v.result) << v.name << '.' << v.form;
  }
}

TEST(Vector, floating_point_comparisons_write_mask_bits) {
  static constexpr struct {
    const char* name;
    const char* form;
    u32 mask;
  } kComparisons[] = {{"vmfeq", "vv", 0x2}, {"vmfne", "vv", 0xD}, {"vmflt", "vv", 0x1},
                      {"vmfle", "vv", 0x3}, {"vmfgt", "vf", 0x4}, {"vmfge", "vf", 0x6},
                      {"vmflt", "vf", 0x1}};
  for (const auto& c : kComparisons) {
    VectorGuest guest;
    guest.set(2, {f(-1), f(2), f(3), 0x7FC00000});
    guest.set(3, {f(1), f(2), f(-4), f(1)});
    guest.core.f[3] = f(2);
    ASSERT_EQ(guest.execute({vector_word(c.name, c.form)}), Outcome::Ok);
    EXPECT_EQ(guest.get(1)[0] & 0xF, c.mask) << c.name << '.' << c.form;
  }
}

TEST(Vector, denormals_are_flushed_and_multiply_add_is_partially_fused) {
  VectorGuest guest;
  guest.set(1, {0xBF800002, 0, f(-1), 0});
  guest.set(2, {0x3F800001, 0x00FFFFFF, 0x00400000, 1});
  guest.set(3, {0x3F800001, 0x3F000000, 0x7F000000, f(1)});
  ASSERT_EQ(guest.execute({vector_word("vfmacc", "vv")}), Outcome::Ok);
  EXPECT_EQ(guest.get(1), (Lanes{0x32800000, 0x00800000, f(-1), 0}));
}

TEST(Vector, masked_off_and_tail_elements_stay_whatever_vta_and_vma_say) {
  for (const u32 agnostic : {0u, 0x40u, 0x80u, 0xC0u}) {
    VectorGuest guest(kE32 | agnostic, 3);
    guest.core.v.reg[0][0] = 0b1101;
    guest.set(1, {10, 11, 12, 13});
    guest.set(2, {1, 2, 3, 4});
    guest.set(3, {100, 100, 100, 100});
    ASSERT_EQ(guest.execute({vector_word("vadd", "vv") & ~(1u << 25)}), Outcome::Ok);
    EXPECT_EQ(guest.get(1), (Lanes{101, 11, 103, 13}));
  }
}

TEST(Vector, sixteen_bit_floating_point_is_a_fault_that_a_run_can_allow) {
  for (const char* name : {"vfadd", "vfmul", "vfmacc", "vfwadd", "vfwmacc", "vmfeq"}) {
    VectorGuest guest(kE16);
    EXPECT_EQ(guest.execute({vector_word(name, "vv", 4)}), Outcome::Stop) << name;
    EXPECT_EQ(guest.fault(), Rule::RiscvVectorHalf);
  }
  VectorGuest fp16(kE16);
  fp16.bus.tolerant = true;
  fp16.set(2, {0x3C004000, 0, 0, 0});
  fp16.set(3, {0x3C003C00, 0, 0, 0});
  ASSERT_EQ(fp16.execute({vector_word("vfadd", "vv"), vector_word("vfwadd", "vv", 4)}),
            Outcome::Ok);
  EXPECT_EQ(fp16.get(1)[0], 0x40004200u);
  EXPECT_EQ(fp16.get(4)[0], f(3));
  EXPECT_EQ(fp16.get(4)[1], f(2));
  VectorGuest bf16(kE16);
  bf16.bus.tolerant = true;
  bf16.core.csr.cfg0 = kCfg0EnBFloat;
  bf16.set(2, {f(1.5f) | f(3.0f) >> 16, 0x3F81FFFF, 0, 0});
  bf16.core.pc = 0x1000;
  // vfncvt.f.f.w and vfncvt.rod.f.f.w cut and jam.
  bf16.set(4, {0x3F81FFFF, 0x40000000, 0, 0});
  ASSERT_EQ(
      bf16.execute({vector_word("vfncvt_f_f", "w", 1, 4), vector_word("vfncvt_rod_f_f", "w", 8, 4),
                    vector_word("vfwcvt_f_f", "v", 6, 2)}),
      Outcome::Ok);
  EXPECT_EQ(bf16.get(1)[0], 0x40003F81u);
  EXPECT_EQ(bf16.get(8)[0], 0x40003F81u);
  EXPECT_EQ(bf16.get(6)[0], f(3));
  EXPECT_EQ(bf16.get(6)[1], f(1.5));
}

TEST(Vector, conversions_between_16_bit_integers_and_singles_need_no_half_float) {
  VectorGuest guest(kE16);
  guest.set(2, {0xFFFE0003, 0x00008000, 0, 0});
  ASSERT_EQ(
      guest.execute({vector_word("vfwcvt_f_x", "v", 4, 2), vector_word("vfwcvt_f_xu", "v", 6, 2)}),
      Outcome::Ok);
  EXPECT_EQ(guest.get(4), (Lanes{f(3), f(-2), f(-32768), 0}));
  EXPECT_EQ(guest.get(6), (Lanes{f(3), f(65534), f(32768), 0}));
  guest.set(8, {f(2.5), f(3.5), f(1e6), f(-1e6)});
  ASSERT_EQ(
      guest.execute({vector_word("vfncvt_x_f", "w", 1, 8), vector_word("vfncvt_xu_f", "w", 2, 8),
                     vector_word("vfncvt_rtz_x_f", "w", 3, 8)}),
      Outcome::Ok);
  EXPECT_EQ(guest.get(1)[0], 0x00040002u);
  EXPECT_EQ(guest.get(1)[1], 0x80007FFFu);
  EXPECT_EQ(guest.get(2)[1], 0x0000FFFFu);
  EXPECT_EQ(guest.get(3)[0], 0x00030002u);
}

TEST(Vector, types_that_do_not_exist_fault_because_there_is_no_vill_bit) {
  // e64; LMUL reserved; e32 with mf8 and mf2's bound; bits above vma.
  for (const u32 vtype : {0x18u, 0x04u, 0x05u, 0x16u, 0x0Eu, 0x100u}) {
    Guest guest(CoreId::Trisc2);
    EXPECT_EQ(guest.execute({vsetivli(5, 1, vtype)}), Outcome::Stop) << std::hex << vtype;
    EXPECT_EQ(guest.fault(), Rule::RiscvVectorType);
    EXPECT_EQ(guest.core.x[5], 0u);
  }
}

TEST(Vector, vl_comes_from_avl_and_vlmax) {
  Guest guest(CoreId::Trisc2);
  guest.core.x[10] = 1000;
  const u32 e8m8 = 3;
  const auto vsetvli = [](u32 rd, u32 rs1, u32 vtype) {
    return 0x00007057 | rd << 7 | rs1 << 15 | vtype << 20;
  };
  ASSERT_EQ(guest.execute({vsetvli(5, 10, e8m8), vsetvli(6, 0, kE32), vsetivli(7, 3, kE32 | 1),
                           vsetvli(0, 0, kE16), encode_csr(Op::csrrs, 8, 0xC20, 0),
                           encode_csr(Op::csrrs, 9, 0xC21, 0)}),
            Outcome::Ok);
  EXPECT_EQ(guest.core.x[5], 128u);
  EXPECT_EQ(guest.core.x[6], 4u);
  EXPECT_EQ(guest.core.x[7], 3u);
  EXPECT_EQ(guest.core.x[8], 3u);
  EXPECT_EQ(guest.core.x[9], kE16);
}

TEST(Vector, vl_and_vtype_can_be_written_as_csrs) {
  VectorGuest guest(kE32, 4);
  guest.core.x[11] = 2;
  guest.set(2, {1, 2, 3, 4});
  guest.set(3, {10, 10, 10, 10});
  ASSERT_EQ(guest.execute({encode_csr(Op::csrrw, 0, 0xC20, 11), vector_word("vadd", "vv")}),
            Outcome::Ok);
  EXPECT_EQ(guest.get(1), (Lanes{11, 12, 0, 0}));
  guest.core.x[11] = 5;  // more than there are
  EXPECT_EQ(guest.execute({encode_csr(Op::csrrw, 0, 0xC20, 11), vector_word("vadd", "vv")}),
            Outcome::Stop);
  EXPECT_EQ(guest.fault(), Rule::RiscvVectorType);
}

TEST(Vector, reserved_and_missing_instructions_are_illegal) {
  constexpr u32 kVdivu = 0x8221A0D7, kVfdiv = 0x822190D7, kVfsqrt = 0x4E2010D7,
                kVfrec7 = 0x4E2290D7, kVle64 = 0x02057087, kVsext8 = 0x4A21A0D7;
  for (const u32 word : {kVdivu, kVfdiv, kVfsqrt, kVfrec7, kVle64, kVsext8,
                         vector_word("vwadd", "vv"),                     // no 64-bit elements
                         vector_word("vadd", "vv", 0) & ~(1u << 25)}) {  // the mask is overwritten
    VectorGuest guest;
    EXPECT_EQ(guest.execute({word}), Outcome::Stop) << std::hex << word;
    EXPECT_EQ(guest.fault(), Rule::RiscvIllegalInstruction);
  }
  VectorGuest groups(kE32 | 1, 4);
  EXPECT_EQ(groups.execute({vector_word("vadd", "vv", 1, 2, 4)}), Outcome::Stop);  // odd group
  VectorGuest overlap(kE16, 4);
  EXPECT_EQ(overlap.execute({vector_word("vwadd", "vv", 2, 2, 4)}), Outcome::Stop);
}

TEST(Vector, memory_faults_leave_no_trace) {
  VectorGuest guest(kE32, 4);
  const u32 vle32 = 0x02056087, vse32 = 0x020560A7;  // v1, (a0)
  const Lanes before = {1, 2, 3, 4};
  guest.set(1, before);
  guest.core.x[10] = kL1Size - 8;
  EXPECT_EQ(guest.execute({vle32}), Outcome::Stop);
  EXPECT_EQ(guest.fault(), Rule::RiscvVectorDevice);
  EXPECT_EQ(guest.get(1), before);
  EXPECT_EQ(guest.execute({vse32}), Outcome::Stop);
  EXPECT_EQ(guest.memory.read32(kL1Size - 8), 0u);
  guest.core.x[10] = 0x2002;
  EXPECT_EQ(guest.execute({vle32}), Outcome::Stop);
  EXPECT_EQ(guest.fault(), Rule::RiscvMisaligned);
}

TEST(Vector, fault_only_first_shortens_vl) {
  VectorGuest guest(kE32, 4);
  guest.core.x[10] = kL1Size - 8;
  guest.memory.write32(kL1Size - 8, 5);
  guest.memory.write32(kL1Size - 4, 6);
  guest.set(1, {1, 2, 3, 4});
  constexpr u32 kVle32ff = 0x03056087;
  EXPECT_EQ(guest.execute({kVle32ff}), Outcome::Ok);
  EXPECT_EQ(guest.get(1), (Lanes{5, 6, 3, 4}));
  EXPECT_EQ(guest.core.csr.vl, 2u);
  guest.core.x[10] = kL1Size;
  EXPECT_EQ(guest.execute({kVle32ff}), Outcome::Stop);
}

TEST(Vector, loads_and_stores_reach_local_memory) {
  VectorGuest guest(kE8, 16);
  guest.core.x[10] = kLdmBase + 0xFF0;
  guest.set(1, {0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C});
  ASSERT_EQ(guest.execute({0x020500A7}), Outcome::Ok);  // vse8.v v1, (a0)
  EXPECT_EQ(guest.core.ldm[0xFFF], 15);
}

}  // namespace
}  // namespace bhemu::riscv
