// The caller's memory where the kernel does not copy between us and us.
#include "kmd/user_memory.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace bhemu::kmd {
namespace {

/// From now on the two calls fail with EPERM, as in many containers. Where filters are not to be
/// had (qemu-user), they are not to be had either, and fail with ENOSYS.
void refuse_copies() {
  const auto skip_unless = [](long number) -> sock_filter {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<u32>(number), 0, 1);
  };
  const sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  std::array<sock_filter, 6> filter = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      skip_unless(SYS_process_vm_readv),
      refuse,
      skip_unless(SYS_process_vm_writev),
      refuse,
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/// The number of the first expectation that does not hold; 0: all do.
int look_without_the_kernel() {
  constexpr u64 kPage = 4096;
  void* const pages =
      mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return 1;
  u8* const first = static_cast<u8*>(pages);
  const u64 at = reinterpret_cast<u64>(pages);
  if (munmap(first + kPage, kPage) != 0) return 2;
  refuse_copies();
  std::array<u8, 16> bytes{};
  first[kPage - 1] = 7;
  if (!copy_from_user(bytes.data(), at + kPage - 16, 16) || bytes[15] != 7) return 3;
  if (copy_from_user(bytes.data(), at + kPage - 8, 16)) return 4;
  bytes[0] = 9;
  if (!copy_to_user(at, bytes.data(), 16) || first[0] != 9) return 5;
  if (copy_to_user(at + kPage, bytes.data(), 16)) return 6;
  if (mprotect(first, kPage, PROT_READ) != 0) return 7;
  if (copy_to_user(at, bytes.data(), 16)) return 8;
  if (copy_from_user(bytes.data(), 0x10, 16)) return 9;
  return 0;
}

TEST(UserMemory, an_address_that_is_not_there_is_an_error_where_the_kernel_does_not_copy) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(look_without_the_kernel());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace bhemu::kmd
