#include "capi/biased_mutex.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bhemu::capi {
namespace {

bool membarrier(int command) {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

}  // namespace

bool barrier_for_all_threads() {
  return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

BiasedMutex::BiasedMutex() : quick_(membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) {}

void BiasedMutex::lock() {
  mutex_.lock();
  if (first_.load(std::memory_order_relaxed) == nullptr && quick_)
    first_.store(self(), std::memory_order_relaxed);
  if (!open_.load(std::memory_order_relaxed)) return;
  open_.store(false, std::memory_order_relaxed);
  if (first_.load(std::memory_order_relaxed) == self()) return;
  barrier_for_all_threads();
  while (inside_.load(std::memory_order_acquire)) {
  }
}

}  // namespace bhemu::capi
