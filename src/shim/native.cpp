#include "shim/native.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

// The code, as it is copied into the executable page. Its data lies one page behind: +0 the sixteen
// registers, +128 flags, +136 our stack pointer, +144 XSAVE area, +152 its components, +160 whether
// to use it, +164 MXCSR and +168 x87 control word of ours. Nothing from the client's flags on may
// change them before the instruction has run.
asm(R"(
  .pushsection .text
  .balign 16
bhemu_shim_stub:
  push %rbx
  push %rbp
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, bhemu_shim_stub+4096+136(%rip)
  cmpl $0, bhemu_shim_stub+4096+160(%rip)
  je 1f
  stmxcsr bhemu_shim_stub+4096+164(%rip)
  fnstcw bhemu_shim_stub+4096+168(%rip)
  mov bhemu_shim_stub+4096+152(%rip), %eax
  mov bhemu_shim_stub+4096+156(%rip), %edx
  mov bhemu_shim_stub+4096+144(%rip), %rcx
  xrstor64 (%rcx)
1:
  pushq bhemu_shim_stub+4096+128(%rip)
  popfq
  mov bhemu_shim_stub+4096+0(%rip), %rax
  mov bhemu_shim_stub+4096+8(%rip), %rcx
  mov bhemu_shim_stub+4096+16(%rip), %rdx
  mov bhemu_shim_stub+4096+24(%rip), %rbx
  mov bhemu_shim_stub+4096+40(%rip), %rbp
  mov bhemu_shim_stub+4096+48(%rip), %rsi
  mov bhemu_shim_stub+4096+56(%rip), %rdi
  mov bhemu_shim_stub+4096+64(%rip), %r8
  mov bhemu_shim_stub+4096+72(%rip), %r9
  mov bhemu_shim_stub+4096+80(%rip), %r10
  mov bhemu_shim_stub+4096+88(%rip), %r11
  mov bhemu_shim_stub+4096+96(%rip), %r12
  mov bhemu_shim_stub+4096+104(%rip), %r13
  mov bhemu_shim_stub+4096+112(%rip), %r14
  mov bhemu_shim_stub+4096+120(%rip), %r15
  mov bhemu_shim_stub+4096+32(%rip), %rsp
bhemu_shim_stub_slot:
  .fill 15, 1, 0x90
  mov %rsp, bhemu_shim_stub+4096+32(%rip)
  mov bhemu_shim_stub+4096+136(%rip), %rsp
  mov %rax, bhemu_shim_stub+4096+0(%rip)
  mov %rcx, bhemu_shim_stub+4096+8(%rip)
  mov %rdx, bhemu_shim_stub+4096+16(%rip)
  mov %rbx, bhemu_shim_stub+4096+24(%rip)
  mov %rbp, bhemu_shim_stub+4096+40(%rip)
  mov %rsi, bhemu_shim_stub+4096+48(%rip)
  mov %rdi, bhemu_shim_stub+4096+56(%rip)
  mov %r8, bhemu_shim_stub+4096+64(%rip)
  mov %r9, bhemu_shim_stub+4096+72(%rip)
  mov %r10, bhemu_shim_stub+4096+80(%rip)
  mov %r11, bhemu_shim_stub+4096+88(%rip)
  mov %r12, bhemu_shim_stub+4096+96(%rip)
  mov %r13, bhemu_shim_stub+4096+104(%rip)
  mov %r14, bhemu_shim_stub+4096+112(%rip)
  mov %r15, bhemu_shim_stub+4096+120(%rip)
  pushfq
  popq bhemu_shim_stub+4096+128(%rip)
  cld
  cmpl $0, bhemu_shim_stub+4096+160(%rip)
  je 2f
  mov bhemu_shim_stub+4096+152(%rip), %eax
  mov bhemu_shim_stub+4096+156(%rip), %edx
  mov bhemu_shim_stub+4096+144(%rip), %rcx
  xsave64 (%rcx)
  fninit
  fldcw bhemu_shim_stub+4096+168(%rip)
  ldmxcsr bhemu_shim_stub+4096+164(%rip)
2:
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbp
  pop %rbx
  ret
bhemu_shim_stub_end:
  .popsection
)");

extern "C" {
__attribute__((visibility("hidden"))) extern const bhemu::u8 bhemu_shim_stub[];
__attribute__((visibility("hidden"))) extern const bhemu::u8 bhemu_shim_stub_slot[];
__attribute__((visibility("hidden"))) extern const bhemu::u8 bhemu_shim_stub_end[];
}

namespace bhemu::shim {

struct Native::Data {
  u64 gpr[kGprs];
  u64 flags;
  u64 host_stack;
  u8* area;
  u64 components;
  u32 use_vectors;
  u32 mxcsr;
  u16 control_word;
  alignas(64) u8 dry_area[2816];  // as much as components() of Frame can take, and more
};

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLargestArea = 2752;  // up to and with Hi16_ZMM, standard format with PKRU

void* checked(void* address) {
  if (address == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "executable memory for the shim");
  return address;
}

}  // namespace

Native::Native() {
  static_assert(offsetof(Data, flags) == 128 && offsetof(Data, area) == 144);
  static_assert(offsetof(Data, use_vectors) == 160 && offsetof(Data, control_word) == 168);
  static_assert(sizeof(Data) <= kPage && sizeof(Data::dry_area) >= kLargestArea);
  const int file = ::memfd_create("bhemu-shim-code", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, kPage) != 0)
    throw std::system_error(errno, std::generic_category(), "executable memory for the shim");
  code_ = static_cast<u8*>(checked(
      ::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
  checked(::mmap(code_, kPage, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, 0));
  alias_ = static_cast<u8*>(
      checked(::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)));
  ::close(file);
  std::memcpy(alias_, bhemu_shim_stub,
              static_cast<std::size_t>(bhemu_shim_stub_end - bhemu_shim_stub));
}

Native::~Native() {
  ::munmap(code_, 2 * kPage);
  ::munmap(alias_, kPage);
}

void Native::run(Frame& frame, const Run& run) {
  Data& data = *reinterpret_cast<Data*>(code_ + kPage);
  for (unsigned i = 0; i < kGprs; ++i) data.gpr[i] = frame.gpr(i);
  data.gpr[run.base] = run.address;
  // Interrupts stay on; single-stepping and alignment checks are not for our own code.
  constexpr u64 kOn = 1u << 1 | 1u << 9;
  data.flags = (frame.flags() & (kStatusFlags | kDirectionFlag)) | kOn;
  data.use_vectors = run.vectors ? 1 : 0;
  if (run.vectors) {
    data.area = frame.xsave_area();
    data.components = frame.components();
    if (run.dry) {
      std::memcpy(data.dry_area, data.area, std::min(frame.xsave_bytes(), kLargestArea));
      data.area = data.dry_area;
    }
  }
  u8* slot = alias_ + (bhemu_shim_stub_slot - bhemu_shim_stub);
  std::fill_n(slot, kLongest, u8{0x90});
  std::copy(run.code.begin(), run.code.end(), slot);
  reinterpret_cast<void (*)()>(code_)();
  if (run.dry) return;
  for (unsigned i = 0; i < kGprs; ++i)
    if (i != run.base) frame.set_gpr(i, data.gpr[i]);
  constexpr u64 kTaken = kStatusFlags | kDirectionFlag;
  frame.set_flags((frame.flags() & ~kTaken) | (data.flags & kTaken));
}

}  // namespace bhemu::shim
