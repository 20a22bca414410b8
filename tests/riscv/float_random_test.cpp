// The multiply-adds of the cores against the model in exact wide integers, and the vectors whose
// sources are integer registers.
#include <gtest/gtest.h>

#include "riscv/guest.hpp"
#include "support/mul_add_model.hpp"
#include "support/rounds.hpp"

namespace bhemu::riscv {
namespace {

using bhemu::test::MulAddModel;

constexpr u32 kSign = 0x80000000;
constexpr u32 kOne = 0x3F800000;

/// rd = f3, rs1 = f0, rs2 = f1, rs3 = f2, dynamic rounding.
struct Kind {
  const char* name;
  u32 word;
  u32 (*model)(u32 a, u32 b, u32 c);
};

const Kind kKinds[] = {
    {"fadd", 0x001071D3, [](u32 a, u32 b, u32) { return MulAddModel::of(a, kOne, b); }},
    {"fsub", 0x081071D3, [](u32 a, u32 b, u32) { return MulAddModel::of(a, kOne, b ^ kSign); }},
    {"fmul", 0x101071D3, [](u32 a, u32 b, u32) { return MulAddModel::of(a, b, (a ^ b) & kSign); }},
    {"fmadd", 0x101071C3, [](u32 a, u32 b, u32 c) { return MulAddModel::of(a, b, c); }},
    {"fmsub", 0x101071C7, [](u32 a, u32 b, u32 c) { return MulAddModel::of(a, b, c ^ kSign); }},
    {"fnmsub", 0x101071CB, [](u32 a, u32 b, u32 c) { return MulAddModel::of(a ^ kSign, b, c); }},
    {"fnmadd", 0x101071CF,
     [](u32 a, u32 b, u32 c) { return MulAddModel::of(a ^ kSign, b, c ^ kSign); }},
};

class FloatKind : public testing::TestWithParam<Kind> {};

TEST_P(FloatKind, matches_the_wide_integer_model_on_random_and_special_operands) {
  const Kind& kind = GetParam();
  Guest guest;
  guest.load({kind.word});
  const u32 begin = guest.core.pc;
  const auto expect = [&](u32 a, u32 b, u32 c) {
    guest.core.f[0] = a;
    guest.core.f[1] = b;
    guest.core.f[2] = c;
    guest.core.pc = begin;
    ASSERT_EQ(guest.steps(1), Outcome::Ok);
    ASSERT_EQ(guest.core.f[3], kind.model(a, b, c))
        << kind.name << std::hex << " " << a << " " << b << " " << c;
  };
  std::mt19937_64 random(bhemu::test::seed(51));
  const u64 rounds = bhemu::test::rounds(60'000);
  for (u64 i = 0; i < rounds && !HasFatalFailure(); ++i) {
    const auto [x, y, z] = bhemu::test::draw_mul_add(random, i);
    expect(x, y, z);
  }
  for (const u32 x : bhemu::test::special_values())
    for (const u32 y : bhemu::test::special_values())
      for (const u32 z : {0u, kSign, kOne, 0x7F800000u, 0xFF800000u, 0x7FC00000u, 0x00800000u})
        if (!HasFatalFailure()) expect(x, y, z);
}

INSTANTIATE_TEST_SUITE_P(Single, FloatKind, testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Float, conversions_of_integer_registers_give_the_measured_results) {
  struct {
    u32 word, value, result;
  } const kMeasured[] = {{0xD00571D3, 0x01000001, 0x4B800000},   // fcvt.s.w f3, x10
                         {0xD01571D3, 0xFFFFFFFF, 0x4F800000}};  // fcvt.s.wu f3, x10
  for (const auto& m : kMeasured) {
    Guest guest;
    guest.core.x[10] = m.value;
    ASSERT_EQ(guest.execute({m.word}), Outcome::Ok);
    EXPECT_EQ(guest.core.f[3], m.result) << std::hex << m.word;
  }
}

}  // namespace
}  // namespace bhemu::riscv
