// Locks, what is done when a file is closed, and power. tt-kmd chardev.c.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "kmd/driver_impl.hpp"

namespace bhemu::kmd {
namespace {

constexpr u32 kPowerSettingMessage = 0x21;
constexpr unsigned kMostCoordinate = 64;

}  // namespace

int Driver::Impl::lock_ctl(Call& call, UserStructure<abi::LockCtl> argument) {
  abi::LockCtl::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  if (in.index >= abi::kLocks) return -EINVAL;
  File::Impl& file = call.file;
  abi::LockCtl::Out out{};
  switch (in.flags) {
    case abi::kLockAcquireBlocking:
      waiters.wait(call.lock, [&] { return !locks[in.index] || is_stale(file); });
      if (is_stale(file)) return -ENODEV;
      [[fallthrough]];
    case abi::kLockAcquire:
      out.value = locks[in.index] ? 0 : 1;
      if (out.value == 0) break;
      locks.set(in.index);
      file.locks.set(in.index);
      break;
    case abi::kLockRelease:
      out.value = file.locks[in.index] ? 1 : 0;
      if (out.value == 0) break;
      locks.reset(in.index);
      file.locks.reset(in.index);
      waiters.notify_all();
      break;
    case abi::kLockTest:
      out.value = static_cast<u8>((locks[in.index] ? 2 : 0) | (file.locks[in.index] ? 1 : 0));
      break;
    default:
      return -EINVAL;
  }
  return argument.answer(out, in.output_size_bytes);
}

int Driver::Impl::set_noc_cleanup(Call& call, UserStructure<abi::SetNocCleanup> argument) {
  abi::SetNocCleanup wish{};
  if (!argument.get(wish)) return -EFAULT;
  if (wish.argsz != sizeof wish || wish.flags != 0 || wish.enabled > 1 || wish.addr % 4 != 0 ||
      wish.noc >= kNocs || wish.x > kMostCoordinate || wish.y > kMostCoordinate)
    return -EINVAL;
  call.file.cleanup = wish;
  return 0;
}

int Driver::Impl::set_power_state(Call& call, UserStructure<abi::SetPowerState> argument) {
  abi::SetPowerState wish{};
  if (!argument.get(wish)) return -EFAULT;
  if (wish.argsz != sizeof wish || wish.flags != 0 || wish.reserved0 != 0 ||
      wish.validity > (abi::kPowerSettings << 4 | abi::kPowerFlags))
    return -EINVAL;
  call.file.power = wish;
  return aggregate_power();
}

/// A feature is on when any file wants it or has never heard of it; of a number the largest counts.
int Driver::Impl::aggregate_power() {
  u32 flags = 0;
  unsigned settings = 0;
  std::array<u16, abi::kPowerSettings> values{};
  for (const File::Impl* file : files) {
    if (is_stale(*file)) continue;
    const abi::SetPowerState& wish = file->power;
    const unsigned known = wish.validity & 0xF;
    const unsigned valid = wish.validity >> 4;
    flags |= wish.power_flags | (~((1u << known) - 1) & abi::kPowerAll);
    settings = std::max(settings, valid);
    for (unsigned i = 0; i < std::min(valid, abi::kPowerSettings); ++i)
      values[i] = std::max(values[i], wish.power_settings[i]);
  }
  std::array<u32, 8> message{kPowerSettingMessage | (settings << 4 | abi::kPowerFlags) << 8 |
                             flags << 16};
  std::memcpy(&message[1], values.data(), sizeof values);
  return firmware.send(message) ? 0 : -EINVAL;
}

}  // namespace bhemu::kmd
