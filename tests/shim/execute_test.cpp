// Each instruction runs twice from the same registers: on ordinary memory, and on a window that
// traps. Registers, flags, vectors and memory must come out alike, and the window must have seen
// exactly the accesses that the table says.
#include "shim/execute.hpp"

#include <cpuid.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace {

using namespace bhemu;
using namespace bhemu::shim;

// --- A window that traps, and what is behind it.

constexpr u64 kWindow = 3 * 4096;

struct TrapBus final : Bus {
  u8* window = nullptr;
  std::vector<u8> behind = std::vector<u8>(kWindow);
  std::string log;
  bool is_plain = false;

  u64 at(u64 address) const { return address - reinterpret_cast<u64>(window); }
  u64 covers(u64 address) const override {
    return at(address) < kWindow ? kWindow - at(address) : 0;
  }
  u64 plain(u64 address) const override { return is_plain ? covers(address) : 0; }
  void read(u64 address, std::span<u8> bytes) override {
    log += "r" + std::to_string(bytes.size());
    std::memcpy(bytes.data(), behind.data() + at(address), bytes.size());
  }
  void write(u64 address, std::span<const u8> bytes) override {
    log += "w" + std::to_string(bytes.size());
    std::memcpy(behind.data() + at(address), bytes.data(), bytes.size());
  }
};

struct Bench {
  TrapBus bus;
  Native native;
  Executor executor{bus, native};
  std::string refusal;
  u64 resume = 0;  // where a refused instruction is left
  struct sigaction old {};

  static Bench*& current() {
    static Bench* bench = nullptr;  // tidy: allow global: a signal handler has no other way
    return bench;
  }
  static void trap(int, siginfo_t*, void* context) {
    Bench& bench = *current();
    Frame frame(*static_cast<ucontext_t*>(context));
    const Outcome outcome = bench.executor.step(frame);
    if (outcome.result == Result::Done) return;
    bench.refusal = outcome.text.empty() ? "not ours" : outcome.text;
    frame.set_rip(bench.resume);
  }
  Bench() {
    bus.window =
        static_cast<u8*>(::mmap(nullptr, kWindow, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    current() = this;
    struct sigaction action {};
    action.sa_sigaction = trap;
    action.sa_flags = SA_SIGINFO;
    ::sigfillset(&action.sa_mask);
    ::sigaction(SIGSEGV, &action, &old);
  }
  ~Bench() {
    ::sigaction(SIGSEGV, &old, nullptr);
    ::munmap(bus.window, kWindow);
  }
};

// --- Instructions with all registers given.

struct State {
  u64 gpr[16];  // as in an instruction; RSP and R15 are the test's own
  u64 flags;
  u64 stack;
  u64 outside[8];  // ordinary memory for string instructions
  u64 components;
  alignas(64) u8 area[4096];
};
static_assert(offsetof(State, flags) == 128 && offsetof(State, outside) == 144);
static_assert(offsetof(State, components) == 208 && offsetof(State, area) == 256);

asm(R"(
  .macro BHEMU_TEST_BEGIN
  push %rbx
  push %rbp
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rdi, %r15
  mov %rsp, 136(%r15)
  mov 208(%r15), %eax
  xor %edx, %edx
  xrstor64 256(%r15)
  pushq 128(%r15)
  popfq
  mov 0(%r15), %rax
  mov 8(%r15), %rcx
  mov 16(%r15), %rdx
  mov 24(%r15), %rbx
  mov 40(%r15), %rbp
  mov 48(%r15), %rsi
  mov 56(%r15), %rdi
  mov 64(%r15), %r8
  mov 72(%r15), %r9
  mov 80(%r15), %r10
  mov 88(%r15), %r11
  mov 96(%r15), %r12
  mov 104(%r15), %r13
  mov 112(%r15), %r14
  .endm
  .macro BHEMU_TEST_END
  mov 136(%r15), %rsp
  mov %rax, 0(%r15)
  mov %rcx, 8(%r15)
  mov %rdx, 16(%r15)
  mov %rbx, 24(%r15)
  mov %rbp, 40(%r15)
  mov %rsi, 48(%r15)
  mov %rdi, 56(%r15)
  mov %r8, 64(%r15)
  mov %r9, 72(%r15)
  mov %r10, 80(%r15)
  mov %r11, 88(%r15)
  mov %r12, 96(%r15)
  mov %r13, 104(%r15)
  pushfq
  popq 128(%r15)
  cld
  mov 208(%r15), %eax
  xor %edx, %edx
  xsave64 256(%r15)
  fninit
  pushq $0x1f80
  ldmxcsr (%rsp)
  add $8, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbp
  pop %rbx
  ret
  .endm
bhemu_test_outside:
  lea 144(%r15), %rsi
  ret
)");

#define INSN(name, feature, alignment, accesses, text) \
  extern "C" void bhemu_test_##name(State*);           \
  asm(".balign 16\nbhemu_test_" #name ":\n BHEMU_TEST_BEGIN\n " text "\n BHEMU_TEST_END\n");
#include "shim/instructions.def"
#undef INSN

struct Case {
  const char* name;
  const char* feature;
  unsigned alignment;
  const char* accesses;
  void (*run)(State*);
};
constexpr Case kCases[] = {
#define INSN(name, feature, alignment, accesses, text) \
  {#name, feature, alignment, accesses, bhemu_test_##name},
#include "shim/instructions.def"
#undef INSN
};

bool cpu_has(const std::string& feature) {
  if (feature.empty()) return true;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;)
      if (word == feature) return true;
    return false;
  }
  return false;
}

u64 components() {
  return cpu_has("avx512f") ? 0xE7 : cpu_has("avx") ? 0x7 : 0x3;
}

/// Where the XSAVE area has the mask registers: 1088 with Intel, 832 with AMD, which leaves out the
/// place of MPX; the processor tells (Intel SDM volume 1, 13.2).
u32 opmask_offset() {
  constexpr u32 kOpmask = 5;
  u32 eax = 0, ebx = 0, ecx = 0, edx = 0;
  __cpuid_count(0xD, kOpmask, eax, ebx, ecx, edx);
  return ebx;
}

class Twice {
 public:
  explicit Twice(u64 seed) : random_(seed) {}

  /// Runs `test` with its operand `offset` bytes into the page in the middle.
  void run(const Case& test, u64 offset) {
    SCOPED_TRACE(std::string(test.name) + " at " + std::to_string(offset));
    draw();
    alignas(4096) static std::array<u8, kWindow> ordinary;
    std::ranges::copy(bench_.bus.behind, ordinary.begin());
    State expected = state_;
    expected.gpr[14] = reinterpret_cast<u64>(ordinary.data()) + 4096 + offset;
    State actual = state_;
    actual.gpr[14] = reinterpret_cast<u64>(bench_.bus.window) + 4096 + offset;
    test.run(&expected);
    bench_.bus.log.clear();
    test.run(&actual);
    EXPECT_EQ(bench_.refusal, "");
    if (std::string(test.accesses) != "*") {
      EXPECT_EQ(bench_.bus.log, test.accesses);
    }
    EXPECT_TRUE(std::ranges::equal(bench_.bus.behind, ordinary));
    compare(expected, actual);
  }

  Bench& bench() { return bench_; }
  /// Of the registers as they were drawn last.
  u64 drawn_mask(unsigned number) const {
    u64 mask = 0;
    std::memcpy(&mask, state_.area + opmask_offset() + number * 8, sizeof mask);
    return mask;
  }
  const u8* drawn_vector(unsigned number) const { return state_.area + 160 + number * 16; }

 private:
  void draw() {
    for (u64& value : state_.gpr) value = random_();
    state_.gpr[13] = 8;
    constexpr u64 kOn = 0x202;
    state_.flags = (random_() & kStatusFlags) | kOn;
    for (u64& value : state_.outside) value = random_();
    state_.components = components();
    std::memset(state_.area, 0, sizeof state_.area);
    for (u8& byte : std::span(state_.area).subspan(160, 256)) byte = static_cast<u8>(random_());
    for (u8& byte : std::span(state_.area).subspan(576, 3072)) byte = static_cast<u8>(random_());
    const u64 present = state_.components & ~u64{1};  // x87 as after FNINIT
    std::memcpy(state_.area + 512, &present, sizeof present);
    const u32 mxcsr = 0x1F80;
    std::memcpy(state_.area + 24, &mxcsr, sizeof mxcsr);
    for (u8& byte : bench_.bus.behind) byte = static_cast<u8>(random_());
  }

  static void compare(State& expected, State& actual) {
    for (unsigned i = 0; i < 14; ++i) {
      if (i == kRsp) continue;
      EXPECT_EQ(expected.gpr[i], actual.gpr[i]) << "register " << i;
    }
    EXPECT_EQ(expected.flags, actual.flags);
    EXPECT_EQ(0, std::memcmp(expected.outside, actual.outside, sizeof expected.outside));
    for (State* state : {&expected, &actual}) {
      std::memset(state->area + 6, 0, 18);    // x87's opcode and last addresses
      std::memset(state->area + 512, 0, 64);  // which components are in their initial state
    }
    for (unsigned i = 0; i < sizeof expected.area; ++i)
      ASSERT_EQ(expected.area[i], actual.area[i]) << "XSAVE area, byte " << i;
  }

  Bench bench_;
  std::mt19937_64 random_;
  State state_{};
};

TEST(Execute, every_instruction_does_on_a_window_what_it_does_on_memory) {
  Twice twice(1);
  unsigned skipped = 0;
  for (const Case& test : kCases) {
    if (!cpu_has(test.feature)) {
      ++skipped;
      continue;
    }
    for (const u64 offset : {0u,  1u,  2u,  3u,  4u,   7u,    8u,    12u,   15u,   16u,
                             32u, 61u, 63u, 64u, 128u, 4032u, 4088u, 4090u, 4093u, 4095u}) {
      if (offset % test.alignment != 0) continue;
      twice.run(test, offset);
      if (HasFailure()) return;
    }
  }
  if (skipped != 0) std::cout << skipped << " instructions are not this processor's\n";
}

const Case& named(const std::string& name) {
  for (const Case& test : kCases)
    if (test.name == name) return test;
  throw std::out_of_range(name);
}

/// Bytes in a log like "r4r8".
u64 bytes_of(const std::string& log) {
  u64 sum = 0;
  for (std::size_t at = 0; at < log.size(); ++at)
    if (log[at] == 'r' || log[at] == 'w') sum += std::stoul(log.substr(at + 1));
  return sum;
}

TEST(Execute, masked_moves_touch_the_chosen_elements_only) {
  if (!cpu_has("avx512bw") || !cpu_has("avx512vl")) GTEST_SKIP() << "no AVX-512 here";
  struct Masked {
    const char* name;
    unsigned mask;
    unsigned elements;
    unsigned width;
  };
  Twice twice(2);
  for (const Masked& row :
       {Masked{"vmovups_masked_load", 1, 16, 4}, Masked{"vmovups_zeroing_load", 1, 16, 4},
        Masked{"vmovups_masked_store", 1, 16, 4}, Masked{"vmovdqu8_masked_load", 2, 64, 1},
        Masked{"vmovdqu8_masked_store", 2, 64, 1}, Masked{"vmovdqu16_masked_256", 3, 16, 2},
        Masked{"vmovss_masked", 1, 1, 4}, Masked{"vpcompressd", 1, 16, 4},
        Masked{"vpexpandd", 1, 16, 4}})
    for (unsigned turn = 0; turn < 50; ++turn) {
      twice.run(named(row.name), 64 + turn);
      const u64 lanes = row.elements == 64 ? ~u64{0} : (u64{1} << row.elements) - 1;
      const unsigned chosen =
          static_cast<unsigned>(std::popcount(twice.drawn_mask(row.mask) & lanes));
      EXPECT_EQ(bytes_of(twice.bench().bus.log), u64{chosen} * row.width) << row.name;
    }
}

TEST(Execute, avx_and_sse_masks_are_signs) {
  if (!cpu_has("avx2")) GTEST_SKIP() << "no AVX2 here";
  Twice twice(3);
  for (unsigned turn = 0; turn < 50; ++turn) {
    twice.run(named("maskmovdqu"), 64 + turn);
    u64 chosen = 0;
    for (unsigned i = 0; i < 16; ++i) chosen += twice.drawn_vector(5)[i] >> 7;
    EXPECT_EQ(bytes_of(twice.bench().bus.log), chosen);
    twice.run(named("vmaskmovps_load"), 64 + turn);
    EXPECT_EQ(bytes_of(twice.bench().bus.log) % 4, 0u);
    EXPECT_EQ(twice.bench().bus.log.find('w'), std::string::npos);
    twice.run(named("vmaskmovps_store"), 64 + turn);
    EXPECT_EQ(twice.bench().bus.log.find('r'), std::string::npos);
  }
}

TEST(Execute, strings_go_element_by_element_unless_it_is_plain_memory) {
  Twice twice(4);
  twice.run(named("rep_stosq"), 0);
  EXPECT_EQ(twice.bench().bus.log, "w8w8w8w8w8");
  twice.run(named("rep_movsw_backwards"), 0);
  EXPECT_EQ(twice.bench().bus.log, "r2w2r2w2r2w2r2w2r2w2r2w2r2w2r2w2r2w2");
  twice.bench().bus.is_plain = true;
  twice.run(named("rep_stosq"), 0);
  EXPECT_EQ(twice.bench().bus.log, "w40");
  twice.run(named("rep_movsb_within"), 0);
  EXPECT_EQ(twice.bench().bus.log, "r33w33");
  for (const u64 offset : {0u, 4000u, 4080u, 4095u}) {
    twice.run(named("rep_movsb_within"), offset);
    twice.run(named("rep_movsb_overlapping"), offset);
    twice.run(named("repne_scasb"), offset % 3000);
  }
}

/// What an instruction that cannot be done says; it is skipped.
std::string refusal_of(Bench& bench, void (*code)(void*), u64 after) {
  bench.refusal.clear();
  bench.resume = reinterpret_cast<u64>(code) + after;
  code(bench.bus.window + 64);
  return bench.refusal;
}

asm(R"(
  .balign 16
bhemu_test_call: call *(%rdi)
  ret
  .balign 16
bhemu_test_fxsave: fxsave (%rdi)
  ret
  .balign 16
bhemu_test_gather: vpgatherdd %xmm0, (%rdi,%xmm1,1), %xmm2
  ret
)");
extern "C" void bhemu_test_call(void*);
extern "C" void bhemu_test_fxsave(void*);
extern "C" void bhemu_test_gather(void*);

TEST(Execute, what_cannot_be_done_is_refused_with_its_bytes_and_touches_nothing) {
  Bench bench;
  EXPECT_NE(refusal_of(bench, bhemu_test_call, 2).find("ff 17: call [rdi]"), std::string::npos)
      << bench.refusal;
  EXPECT_NE(refusal_of(bench, bhemu_test_fxsave, 3).find("fxsave"), std::string::npos)
      << bench.refusal;
  if (cpu_has("avx2")) {
    asm volatile("vpcmpeqd %%xmm0, %%xmm0, %%xmm0\n vpxor %%xmm1, %%xmm1, %%xmm1" ::
                     : "xmm0", "xmm1");
    EXPECT_NE(refusal_of(bench, bhemu_test_gather, 6).find("gather"), std::string::npos)
        << bench.refusal;
  }
  EXPECT_EQ(bench.bus.log, "");
}

}  // namespace
