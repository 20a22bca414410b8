// An open file: its requests and its mappings.
#include <cerrno>

#include "kmd/driver_impl.hpp"

namespace bhemu::kmd {

using card::Function;
using card::Windows;

File::File(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

File::~File() {
  impl_->driver->close(*impl_);
}

int File::ioctl(u64 request, void* argument) {
  Driver::Impl& driver = *impl_->driver;
  std::unique_lock<std::mutex> lock(driver.mutex);
  Driver::Impl::Call call{*impl_, lock};
  const int result = driver.dispatch(call, request, reinterpret_cast<u64>(argument));
  driver.notify(lock);
  return result;
}

namespace {

/// What a request does to the card decides when it is refused.
bool only_asks(u64 request) {
  return request == abi::GET_DEVICE_INFO || request == abi::GET_DRIVER_INFO;
}

}  // namespace

int Driver::Impl::dispatch(Call& call, u64 request, u64 argument) {
  if (is_stale(call.file)) return -ENODEV;
  const bool always = only_asks(request) || request == abi::RESET_DEVICE;
  if (needs_init && !always) return -ENODEV;
  if (card.fault_mode() == host::FaultMode::Throw && !always && is_dead()) return -EIO;
  switch (request) {
#define REQUEST(number, name, handler, structure, does, refuses) \
  case abi::name:                                                \
    return handler(call, UserStructure<abi::structure>(argument));
#include "kmd/request.def"
#undef REQUEST
    default:
      return -EINVAL;
  }
}

int File::map(u64 offset, u64 bytes, Region& region) {
  Driver::Impl& driver = *impl_->driver;
  const std::lock_guard<std::mutex> lock(driver.mutex);
  if (driver.is_stale(*impl_)) return -ENODEV;
  return driver.map(*impl_, offset, bytes, region);
}

void File::unmap(u64 offset, u64 bytes) {
  Driver::Impl& driver = *impl_->driver;
  const std::lock_guard<std::mutex> lock(driver.mutex);
  driver.unmap(*impl_, offset, bytes);
}

namespace {

struct Place {
  unsigned bar;
  u64 offset;  // in mmap's terms, of its beginning
  u64 bytes;
  bool combining;
};
constexpr Place kPlaces[] = {
    {0, 0 * abi::kOffsetStep, Function::kBar0Bytes, false},
    {0, 1 * abi::kOffsetStep, Function::kBar0Bytes, true},
    {2, 2 * abi::kOffsetStep, Function::kBar2Bytes, false},
    {2, 3 * abi::kOffsetStep, Function::kBar2Bytes, true},
    {4, 4 * abi::kOffsetStep, Function::kBar4Bytes, false},
    {4, 5 * abi::kOffsetStep, Function::kBar4Bytes, true},
};

bool inside(u64 offset, u64 bytes, u64 begin, u64 size) {
  return offset >= begin && offset - begin <= size && bytes <= size - (offset - begin);
}

/// The window that begins at `offset` from the beginning of an area of windows; kWindows: none.
unsigned window_at(u64 offset) {
  if (offset < Function::kBar0Bytes) {
    const u64 id = offset / Windows::kSmallBytes;
    return offset % Windows::kSmallBytes == 0 && id < Windows::kSmall ? static_cast<unsigned>(id)
                                                                      : kWindows;
  }
  const u64 large = offset - Function::kBar0Bytes;
  const u64 id = Windows::kSmall + large / Windows::kLargeBytes;
  return large % Windows::kLargeBytes == 0 && id < kWindows ? static_cast<unsigned>(id) : kWindows;
}

}  // namespace

int Driver::Impl::map(File::Impl& file, u64 offset, u64 bytes, Region& region) {
  if (bytes == 0 || offset % abi::kPage != 0) return -EINVAL;
  bytes = align_up(bytes, abi::kPage);
  for (const Place& place : kPlaces) {
    if (!inside(offset, bytes, place.offset, place.bytes)) continue;
    region = {place.bar, offset - place.offset, bytes, -1, place.combining};
    return 0;
  }
  if (inside(offset, bytes, abi::kOffsetTlbUncached, 2 * abi::kOffsetStep)) {
    const bool combining = offset >= abi::kOffsetTlbCombining;
    const u64 within = offset % abi::kOffsetStep;
    const unsigned id = window_at(within);
    if (id == kWindows || bytes > Windows::bytes_of(id)) return -EINVAL;
    if (!file.windows[id]) return -EPERM;
    const bool small = id < Windows::kSmall;
    region = {small ? 0u : 4u, small ? within : within - Function::kBar0Bytes, bytes, -1,
              combining};
    file.mapped.push_back(id);
    return 0;
  }
  if (offset < abi::kOffsetDmaBuf) return -EINVAL;
  const u64 index = (offset - abi::kOffsetDmaBuf) / abi::kDmaBufStep;
  const auto buffer = index < 256 ? file.buffers.find(static_cast<u8>(index)) : file.buffers.end();
  const u64 within = offset % abi::kDmaBufStep;
  if (buffer == file.buffers.end() || !inside(within, bytes, 0, buffer->second.memory.size()))
    return -EINVAL;
  region = {0, within, bytes, buffer->second.memory.fd(), false};
  return 0;
}

void Driver::Impl::unmap(File::Impl& file, u64 offset, u64) {
  if (!inside(offset, 1, abi::kOffsetTlbUncached, 2 * abi::kOffsetStep)) return;
  // A window cannot be unmapped in parts.
  const auto mapped =
      std::find(file.mapped.begin(), file.mapped.end(), window_at(offset % abi::kOffsetStep));
  if (mapped != file.mapped.end()) file.mapped.erase(mapped);
}

}  // namespace bhemu::kmd
