// Registers that cores read and write by a short way, which has to be no other way.
#include "riscv/jit/cache.hpp"
#include "tile/one_tile.hpp"

namespace bhemu::test {
namespace {

/// A counter of circular buffers, a word of a command buffer, and the clock are read and written by
/// a short way.
TEST(TileAtOnce, a_misaligned_word_of_a_register_is_refused_however_the_code_is_executed) {
  riscv::jit::Options hot;
  hot.threshold = 0;
  for (const bool translates : {false, true}) {
    const auto code = translates ? riscv::jit::CodeCache::create(hot) : nullptr;
    if (translates && code == nullptr) GTEST_SKIP() << "code is not translated on this processor";
    for (const u32 address : {0xFFB40022u, 0xFFB20001u, 0xFFB121F2u}) {
      for (const bool stores : {false, true}) {
        OneTile chip(64, true, nullptr, code);
        Assembler a;
        a.li(t0, address);
        for (int i = 0; i < 20; ++i) a.addi(t1, t1, 1);
        if (stores)
          a.sw(t1, 0, t0);
        else
          a.lw(t1, 0, t0);
        a.word(0x6F);  // for ever
        chip.load(0, a.finish());
        chip.start({CoreId::Brisc});
        chip.run();
        ASSERT_EQ(chip.tile->faults().faults().size(), 1u) << address << stores << translates;
        EXPECT_EQ(chip.tile->faults().faults()[0].rule, Rule::RiscvMisaligned);
      }
    }
  }
}

}  // namespace
}  // namespace bhemu::test
