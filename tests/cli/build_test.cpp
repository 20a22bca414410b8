// Kernels from C: bhemu build, `source:` in program files, PRINT and ASSERT, several parts and
// launches, and the second run that looks for the cause of a wrong result.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/command.hpp"

namespace bhemu::test {
namespace {

bool has_compiler() {
  return std::system("command -v riscv64-unknown-elf-gcc > /dev/null 2>&1") == 0;
}

class Build : public testing::Test {
 protected:
  Build() : scratch_("bhemu_build_test") {}
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no riscv64-unknown-elf-gcc";
    ::setenv("BHEMU_CACHE", (scratch_.path() / "cache").c_str(), 1);
  }
  CommandResult run(const std::string& kernel, const std::string& program,
                    const std::string& options = "") {
    scratch_.file("kernel.c", kernel);
    return bhemu(scratch_, "run " + scratch_.file("program.yaml", program) + options);
  }

  Scratch scratch_;
};

constexpr const char* kSum = R"(
#include "debug.h"
#include "launch.h"
static void Sum(void) {
  u32 sum = 0;
  for (u32 i = 0; i < 3; ++i) {
    sum += Arg(0);
#ifndef SILENT
    PRINT("round {} of {}: {:x} {:d}", i, 3, sum, sum);
#endif
  }
  ASSERT(sum == 21);
  Write32(0x100000, sum + Arg(1));
}
KERNEL(Sum)
)";

constexpr const char* kProgram = R"(
name: sum
tiles: [[1, 2]]
kernels: {brisc: {source: kernel.c}}
arguments: {brisc: ["7", "21"]}
expect: [{address: 0x100000, value: "42"}]
)";

TEST_F(Build, a_source_without_a_kernel_is_told_in_one_sentence_before_the_run) {
  std::string kernel = kSum;
  kernel.replace(kernel.find("KERNEL(Sum)"), 11, "void kernel_main(void) { Sum(); }");
  const CommandResult result = run(kernel, kProgram);
  EXPECT_EQ(result.status, 2) << result.out << result.err;
  EXPECT_NE(result.err.find("kernel.c: has no kernel for brisc: end it with KERNEL(function)"),
            std::string::npos)
      << result.err;
}

/// An ELF file that somebody has linked himself: what its entry is called is his business.
struct Linked {
  const char* flags;
  const char* said;  // empty: it runs
};

TEST_F(Build, an_elf_file_that_begins_in_the_wrong_place_is_refused_before_the_run) {
  const std::string source = scratch_.file("linked.c", R"(
int Fill(int count) {
  for (int i = 0; i < count; ++i) *(volatile int*)(0x100000 + 4 * i) = 42;
  return count;
}
#ifdef WITH_START
int _start(void) { return Fill(1) - 1; }
#endif
int kernel_main(void) { return Fill(1) - 1; }
const int table[4] __attribute__((section(".table"))) = {1, 2, 3, 4};
)");
  constexpr const char* kLater = " -DWITH_START -Wl,-e,_start";
  const std::string program = scratch_.file("linked.yaml", R"(
name: linked
tiles: [[1, 2]]
kernels: {brisc: linked.elf}
expect: [{address: 0x100000, value: "42"}]
)");
  for (const Linked& linked : {
           Linked{"", "is Fill, the first function of the file, not kernel_main"},
           Linked{" -Wl,-e,kernel_main", ""},
           Linked{kLater, ""},
           Linked{" -Wl,-e,0x8", "lies in the middle of Fill"},
           Linked{" -Wl,-e,0x2", "is not a multiple of four"},
           Linked{" -Wl,-e,table", "lies outside the code"},
           Linked{" -march=rv32imc -Wl,-e,kernel_main", "has compressed instructions"},
       }) {
    const CommandResult built =
        shell(scratch_,
              "riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -O1 -nostdlib -ffreestanding "
              "-Wl,-Ttext=0,--section-start=.table=0x1000,-z,max-page-size=4 " +
                  source + linked.flags + " -o " + (scratch_.path() / "linked.elf").string());
    ASSERT_EQ(built.status, 0) << linked.flags << built.err;
    const CommandResult result = bhemu(scratch_, "run " + program);
    const bool runs = *linked.said == 0;
    EXPECT_EQ(result.status, runs ? 0 : 2) << linked.flags << result.out << result.err;
    EXPECT_NE(result.err.find(linked.said), std::string::npos) << linked.flags << result.err;
    EXPECT_EQ(runs, result.err.empty()) << linked.flags << result.err;
  }
}

TEST_F(Build, a_source_is_compiled_and_its_prints_are_shown) {
  const CommandResult result = run(kSum, kProgram);
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("(1, 2) BRISC, cycle "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(": round 0 of 3: 0x7 7\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(": round 2 of 3: 0x15 21\n"), std::string::npos) << result.out;
}

// The run is made again, knowing by which words its cores signal each other.
TEST_F(Build, a_source_is_looked_at_for_races_in_further_passes) {
  constexpr const char* kFlags = R"(
#include "launch.h"
static void Tell(void) {
  volatile u32* const words = (volatile u32*)0x100000;
  if (GUEST_CORE == 0) {
    words[16] = 7;
    words[0] = 1;
  } else {
    while (words[0] != 1) __asm__ volatile("fence" ::: "memory");
    words[32] = words[16];
    words[48] = words[17];
  }
#ifdef LATE
  if (GUEST_CORE == 0) words[17] = 8;
#endif
}
KERNEL(Tell)
)";
  for (const std::string flags : {"[]", "[-DLATE]"}) {
    const std::string kernel = "{source: kernel.c, flags: " + flags + "}";
    const CommandResult result = run(
        kFlags,
        "name: flags\ntiles: [[1, 2]]\nkernels: {brisc: " + kernel + ", ncrisc: " + kernel + "}\n",
        " --race");
    EXPECT_EQ(result.err.find("not been compiled"), std::string::npos) << result.err;
    EXPECT_EQ(result.status, flags == "[]" ? 0 : 1) << result.out << result.err;
  }
}

/// "768", of the line that begins with "run".
std::string cycles_of(const std::string& out) {
  const size_t end = out.find(" cycles", out.find("\n  run "));
  return end == std::string::npos
             ? ""
             : out.substr(out.rfind(' ', end - 1) + 1, end - out.rfind(' ', end - 1) - 1);
}

TEST_F(Build, what_is_printed_costs_no_cycle) {
  constexpr const char* kLoop = R"(
#include "debug.h"
#include "launch.h"
static void Count(void) {
  volatile u32* const word = (volatile u32*)0x100000;
  *word = 0;
  for (u32 i = 0; i < 10000; ++i) {
    const u32 now = *word + i;
#ifndef SILENT
    PRINT("{}", now);
    ASSERT(1);
#endif
    *word = now;
  }
}
KERNEL(Count)
)";
  std::string program = R"(
name: count
tiles: [[1, 2]]
kernels: {brisc: {source: kernel.c}}
)";
  const CommandResult loud = run(kLoop, program);
  program.replace(program.find("{source: kernel.c}"), 18, "{source: kernel.c, flags: [-DSILENT]}");
  const CommandResult silent = run(kLoop, program);
  EXPECT_EQ(loud.status, 0) << loud.err;
  EXPECT_NE(loud.out.find(": 49995000\n"), std::string::npos);
  EXPECT_NE(cycles_of(loud.out), "");
  EXPECT_EQ(cycles_of(loud.out), cycles_of(silent.out));
}

TEST_F(Build, an_assert_that_does_not_hold_is_a_fault_at_its_line) {
  std::string program = kProgram;
  program.replace(program.find("\"7\""), 3, "\"8\"");
  const CommandResult result = run(kSum, program);
  EXPECT_EQ(result.status, 4) << result.out << result.err;
  EXPECT_TRUE(result.err.starts_with("First cause: BRISC of (1, 2)")) << result.err;
  EXPECT_NE(result.err.find("kernel-assert"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("kernel.c:12 does not hold"), std::string::npos) << result.err;
}

TEST_F(Build, an_argument_that_is_not_given_is_refused_before_the_run) {
  std::string program = kProgram;
  program.replace(program.find(", \"21\""), 6, "");
  const CommandResult result = run(kSum, program);
  EXPECT_EQ(result.status, 2) << result.out << result.err;
  EXPECT_NE(result.err.find("the kernel of brisc reads argument 1"), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("only 1 is given"), std::string::npos) << result.err;
}

TEST_F(Build, what_does_not_compile_is_refused_with_the_compilers_words) {
  const CommandResult result = run("int main(void) { return nothing; }", kProgram);
  EXPECT_EQ(result.status, 2) << result.out << result.err;
  EXPECT_NE(result.err.find("does not compile for brisc"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("'nothing' undeclared"), std::string::npos) << result.err;
}

TEST_F(Build, launches_run_one_after_another_and_parts_beside_each_other) {
  const CommandResult result = run(kSum, R"(
name: sums
tiles: [[1, 2], [2, 2]]
launches:
  - name: first
    parts:
      - {tiles: [[1, 2]], kernels: {brisc: {source: kernel.c}}, arguments: {brisc: ["7", "1"]}}
      - {tiles: [[2, 2]], kernels: {ncrisc: {source: kernel.c}}, arguments: {ncrisc: ["7", "2"]}}
  - name: second
    tiles: [[1, 2]]
    kernels: {brisc: {source: kernel.c}}
    arguments: {brisc: ["7", tile.count + 20]}
expect:
  - {tile: [1, 2], address: 0x100000, value: "42"}
  - {tile: [2, 2], address: 0x100000, value: "23"}
)");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("(2, 2) NCRISC, cycle "), std::string::npos) << result.out;
}

/// The number of arguments differs, and with it where what follows them lies.
TEST_F(Build, a_semaphore_has_one_address_in_all_parts_of_a_launch) {
  const std::string program = R"(
name: signals
semaphores: [{index: 0}]
parts:
  - {tiles: [[1, 2]], kernels: {brisc: {source: kernel.c}}, arguments: {brisc: ["1", "2", "2"]}}
  - tiles: [[2, 2]]
    kernels: {brisc: {source: kernel.c}}
    arguments: {brisc: ["0", "0", "0", "0", "0", "0", "0", "0", "0"]}
)";
  const char* kernel = R"(
#include "launch.h"
#include "noc.h"
#include "semaphore.h"
static void Signal(void) {
  if (Arg(0)) {
    NocAtomicAdd(MyNoc(), NocXy(Arg(1), Arg(2)), SemaphoreAddress(0), 1);
    NocAtomicBarrier(MyNoc());
  } else {
    SemaphoreWaitMin(0, 1);
  }
}
KERNEL(Signal)
)";
  const CommandResult result = run(kernel, program, " --check=all --race");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_EQ(result.err, "");
}

/// What the program file has laid down once is there for all of its launches.
TEST_F(Build, a_tensor_is_read_in_a_later_launch_without_a_word) {
  const char* kernel = R"(
#include "launch.h"
#include "noc.h"
static void Read(void) {
  const struct interleaved_dram table = InterleavedDram(MyNoc(), Arg(0), 64);
  NocRead(MyNoc(), DramPageXy(&table, 0), DramPageAddress(&table, 0), 0x40000, 64);
  NocReadBarrier(MyNoc());
  Write32(0x41000, Read32(0x40000));
}
KERNEL(Read)
)";
  const CommandResult result = run(kernel, R"(
name: twice
tiles: [[1, 2]]
tensors:
  table: {generate: {shape: [1, 16], pattern: constant, value: 7}, dtype: uint32, layout: row_major}
launches:
  - {kernels: {brisc: {source: kernel.c}}, arguments: {brisc: [table.address]}}
  - {kernels: {brisc: {source: kernel.c}}, arguments: {brisc: [table.address]}}
expect: [{address: 0x41000, value: "7"}]
)",
                                   " --check=all");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_EQ(result.err, "");
}

TEST_F(Build, two_parts_of_a_launch_cannot_share_a_tile) {
  const CommandResult result = run(kSum, R"(
name: sums
tiles: [[1, 2]]
parts:
  - {kernels: {brisc: {source: kernel.c}}, arguments: {brisc: ["7", "1"]}}
  - {kernels: {ncrisc: {source: kernel.c}}, arguments: {ncrisc: ["7", "1"]}}
)");
  EXPECT_EQ(result.status, 2) << result.out << result.err;
  EXPECT_NE(result.err.find("two parts of one launch have the tile (1, 2)"), std::string::npos)
      << result.err;
}

TEST_F(Build, the_command_writes_an_elf_that_runs) {
  scratch_.file("kernel.c", kSum);
  const std::string elf = (scratch_.path() / "sum.elf").string();
  const CommandResult built = bhemu(
      scratch_, "build " + (scratch_.path() / "kernel.c").string() + " --core brisc -o " + elf);
  EXPECT_EQ(built.status, 0) << built.err;
  EXPECT_EQ(built.out, elf + "\n");
  std::string program = kProgram;
  program.replace(program.find("{source: kernel.c}"), 18, elf);
  EXPECT_EQ(run(kSum, program).status, 0);
  const CommandResult wrong =
      bhemu(scratch_, "build " + (scratch_.path() / "kernel.c").string() + " --core trisk1");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("did you mean 'trisc1'"), std::string::npos) << wrong.err;
}

TEST_F(Build, a_wrong_result_is_run_again_with_all_checks) {
  const CommandResult result = run(R"(
#include "launch.h"
static void Copy(void) {
  Write32(0x100000, Read32(0x110000) + 1);
}
KERNEL(Copy)
)",
                                   R"(
name: copy
tiles: [[1, 2]]
kernels: {brisc: {source: kernel.c}}
expect: [{address: 0x100000, value: "7"}]
)");
  EXPECT_EQ(result.status, 1) << result.out << result.err;
  EXPECT_TRUE(result.err.starts_with("First cause: BRISC of (1, 2) at Copy (")) << result.err;
  EXPECT_NE(result.err.find("uninitialised-l1"), std::string::npos) << result.err;
}

TEST_F(Build, a_core_whose_data_cache_is_off_may_poll_without_a_fence) {
  // Firmware turns it off, as tt-metal's does.
  scratch_.file("set.c", R"(
#include "launch.h"
static void Set(void) {
  for (u32 i = 0; i < 200; ++i) __asm__ volatile("nop");
  Write32(0x100000, 1);
}
KERNEL(Set)
)");
  const CommandResult result = run(R"(
#include "launch.h"
static void Poll(void) {
  Write32(0x100000, 0);
  while (Read32(0x100000) == 0) {
  }
}
KERNEL(Poll)
)",
                                   R"(
name: poll
tiles: [[1, 2]]
kernels: {brisc: {source: kernel.c}, ncrisc: {source: set.c}}
)",
                                   " --check=caches");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
}

TEST(Checks, a_group_that_does_not_exist_is_refused) {
  Scratch scratch("bhemu_build_test");
  const CommandResult result = bhemu(scratch, "boot --check=bufers");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("there is no check 'bufers'"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("buffers"), std::string::npos) << result.err;
}

/// BRISC reads a word, NCRISC changes it from 1 to 2, BRISC reads it again and stores the sum.
std::string read_twice(const std::string& name, int sum) {
  const std::string folder = std::string(BHEMU_SOURCE_DIR) + "/tests/hangs/prebuilt/" + name;
  return "name: " + name + "\ntiles: [[1, 2]]\nkernels: {brisc: " + folder +
         "/brisc.elf, ncrisc: " + folder +
         "/ncrisc.elf}\ncircular_buffers: [{index: 0, page_size: 64, pages: 2}]\n"
         "expect: [{address: 0x100040, value: \"" +
         std::to_string(sum) + "\"}]\n";
}

TEST(Checks, with_the_caches_of_silicon_a_line_without_a_fence_gives_the_old_bytes) {
  Scratch scratch("bhemu_build_test");
  scratch.file("old.yaml", read_twice("cached_line_read_again", 1 + 1));
  scratch.file("new.yaml", read_twice("cached_line_read_again", 1 + 2));
  const CommandResult old =
      bhemu(scratch, "run " + (scratch.path() / "old.yaml").string() + " --check=caches=silicon");
  EXPECT_EQ(old.status, 0) << old.out << old.err;
  EXPECT_NE((old.out + old.err).find("cache-stale-data"), std::string::npos) << old.out << old.err;
  EXPECT_EQ(bhemu(scratch, "run " + (scratch.path() / "new.yaml").string()).status, 0)
      << "what L1 holds, unless asked otherwise";
}

TEST(Checks, with_the_caches_of_silicon_a_fence_gives_the_new_bytes) {
  Scratch scratch("bhemu_build_test");
  scratch.file("mended.yaml", read_twice("cached_line_read_again_mended", 1 + 2));
  const CommandResult result = bhemu(
      scratch, "run " + (scratch.path() / "mended.yaml").string() + " --check=caches=silicon");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_EQ((result.out + result.err).find("cache-stale-data"), std::string::npos) << result.err;
}

TEST(Checks, without_a_compiler_one_message_says_what_was_looked_for) {
  Scratch scratch("bhemu_build_test");
  scratch.file("kernel.c", "");
  const CommandResult result =
      shell(scratch, "env -u BHEMU_CC -u SFPI_ROOT -u TT_METAL_HOME PATH=/nowhere " +
                         std::string(BHEMU_BINARY_DIR) + "/bin/bhemu build " +
                         (scratch.path() / "kernel.c").string() + " --core brisc");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("no RISC-V cross compiler"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("riscv64-unknown-elf-gcc"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace bhemu::test
