#include "kmd/driver.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "dram/bank.hpp"
#include "kmd/driver_impl.hpp"
#include "kmd/identity.hpp"
#include "tile/tile.hpp"

namespace bhemu::kmd {

using card::Function;
using card::Windows;

Driver::Driver(LiveCard& card, unsigned ordinal) : impl_(std::make_unique<Impl>(card, ordinal)) {
  Impl& impl = *impl_;
  impl.windows.set(Firmware::kKernelWindow);
  card.set_host_memory(&impl.bus);
  card.on_hiding([&impl] {
    std::unique_lock<std::mutex> lock(impl.mutex);
    impl.all_windows_changed();
    impl.notify(lock);
  });
  impl.firmware.init_hardware();
  impl.firmware.save_reset_state();
  impl.firmware.probe_telemetry();
  impl.aggregate_power();  // nobody wants anything yet
}

Driver::~Driver() {
  impl_->card.on_hiding(nullptr);
  impl_->card.set_host_memory(nullptr);
}

// --- Opening and closing.

std::unique_ptr<File> Driver::open() {
  return open(O_RDWR | O_APPEND);
}

std::unique_ptr<File> Driver::open(int flags, int* error) {
  auto file = std::make_unique<File::Impl>();
  file->driver = impl_.get();
  std::unique_lock<std::mutex> lock(impl_->mutex);
  const int result = impl_->admit(*file, flags, lock);
  if (error != nullptr) *error = result;
  if (result != 0) return nullptr;
  return std::unique_ptr<File>(new File(std::move(file)));
}

/// O_EXCL waits until nobody else has the card open, others until nobody has it exclusively.
int Driver::Impl::admit(File::Impl& file, int flags, std::unique_lock<std::mutex>& lock) {
  const bool alone = (flags & O_EXCL) != 0;
  const auto free = [&] { return alone ? files.empty() : !exclusive; };
  if (!free()) {
    if ((flags & O_NONBLOCK) != 0) return -EAGAIN;
    waiters.wait(lock, free);
  }
  exclusive = alone;
  file.generation = generation;
  file.power.validity = abi::kPowerFlags;
  files.push_back(&file);
  // A client that does not know O_APPEND does not know power requests either.
  if ((flags & O_APPEND) == 0) {
    file.power.power_flags = abi::kPowerAll & ~abi::kPowerMaxAiClk;
    if (!needs_init) aggregate_power();
  }
  return 0;
}

void Driver::Impl::close(File::Impl& file) {
  std::unique_lock<std::mutex> lock(mutex);
  const abi::SetNocCleanup& cleanup = file.cleanup;
  if (cleanup.enabled != 0)
    firmware.write32(cleanup.x, cleanup.y, cleanup.addr, static_cast<u32>(cleanup.data),
                     cleanup.noc);
  for (auto& [index, buffer] : file.buffers) release(buffer);
  for (Pin& pin : file.pins) release(pin);
  locks &= ~file.locks;
  windows &= ~file.windows;
  std::erase(files, &file);
  const bool wanted_power = file.power.validity != abi::kPowerFlags || file.power.power_flags != 0;
  if (wanted_power && !needs_init) aggregate_power();
  if (files.empty()) exclusive = false;
  waiters.notify_all();
  notify(lock);
}

// --- Where windows point.

void Driver::Impl::all_windows_changed() {
  for (unsigned window = 0; window < kWindows; ++window) window_changed(window);
}

void Driver::Impl::notify(std::unique_lock<std::mutex>& lock) {
  const std::vector<unsigned> changed = std::exchange(changed_windows, {});
  const std::vector<std::unique_ptr<Device>> old = std::exchange(old_devices, {});
  const bool lost = std::exchange(mappings_lost, false);
  lock.unlock();
  if (changed.empty() && !lost) return;
  const std::lock_guard<std::mutex> listeners(listener_mutex);
  if (window_listener)
    for (const unsigned window : changed) window_listener(window);
  if (lost && loss_listener) loss_listener();
  // Only now may the memory of a device from before a reset go.
}

void Driver::on_window_change(std::function<void(unsigned window)> listener) {
  const std::lock_guard<std::mutex> lock(impl_->listener_mutex);
  impl_->window_listener = std::move(listener);
}

void Driver::on_mappings_lost(std::function<void()> listener) {
  const std::lock_guard<std::mutex> lock(impl_->listener_mutex);
  impl_->loss_listener = std::move(listener);
}

bool Driver::Impl::is_dead() {
  return !LiveCard::Visit(card, false).answers();
}

// --- Mapped memory.

bool Driver::read(unsigned bar, u64 offset, std::span<u8> bytes) {
  return impl_->card.read(bar, offset, bytes);
}

bool Driver::write(unsigned bar, u64 offset, std::span<const u8> bytes) {
  const Store store{bar, offset, bytes};
  return write({&store, 1});
}

bool Driver::write(std::span<const Store> stores) {
  const bool done = impl_->card.write(stores);
  constexpr u64 kBegin = Function::kWindowRegisters;
  constexpr u64 kEnd = kBegin + kWindows * 12;
  for (const Store& store : stores) {
    const u64 end = store.offset + store.bytes.size();
    if (store.bar != 0 || store.offset >= kEnd || end <= kBegin) continue;
    // A client that maps all of BAR 0 may aim windows itself.
    std::unique_lock<std::mutex> lock(impl_->mutex);
    const u64 last = std::min(end, kEnd) - 1;
    for (u64 window = (std::max(store.offset, kBegin) - kBegin) / 12;
         window <= (last - kBegin) / 12; ++window)
      impl_->window_changed(static_cast<unsigned>(window));
    impl_->notify(lock);
  }
  return done;
}

std::optional<Direct> Driver::direct(unsigned bar, u64 offset, u64 bytes) {
  const bool small = bar == 0 && offset < Windows::kSmall * Windows::kSmallBytes;
  if (!small && (bar != 4 || offset >= Function::kBar4Bytes)) return std::nullopt;
  const u64 size = small ? Windows::kSmallBytes : Windows::kLargeBytes;
  const auto index = static_cast<unsigned>((small ? 0 : Windows::kSmall) + offset / size);
  bytes = std::min(bytes, size - offset % size);

  const LiveCard::Visit visit(impl_->card, false);
  if (!visit.answers()) return std::nullopt;
  Device& device = visit.device();
  const Windows& windows = visit.function().windows();
  const card::Window& window = windows.window(index);
  if (window.mcast != 0 || windows.objection(index) != nullptr) return std::nullopt;
  const Coord coord{static_cast<u8>(window.x_end), static_cast<u8>(window.y_end)};
  const NodeId node = device.board().routing().at(static_cast<unsigned>(window.noc_sel), coord);
  if (node == kNoNode) return std::nullopt;
  const u64 address = windows.address(index) + offset % size;
  const auto stretch = [&](Mapping& memory, bool writable) -> std::optional<Direct> {
    if (address >= memory.size()) return std::nullopt;
    return Direct{memory.fd(), address, std::min(bytes, memory.size() - address), writable};
  };
  if (tile::Tile* tile = device.tile_of(node)) {
    // The heartbeat of an Ethernet tile is not in its memory (eth/base_firmware.hpp).
    if (!tile->shape().is_tensix() || !visit.may_show_l1()) return std::nullopt;
    return stretch(tile->l1().memory(), false);
  }
  if (device.node(node).kind() == noc::NodeKind::Dram && visit.may_show_dram())
    return stretch(static_cast<dram::Bank&>(device.node(node)).memory(), true);
  return std::nullopt;
}

std::string Driver::failure() const {
  return impl_->card.failure();
}

std::string Driver::device_path() const {
  return fmt::format("/dev/tenstorrent/{}", impl_->ordinal);
}

std::string Driver::pci_address() const {
  return fmt::format("0000:{:02x}:00.0", bus_of(impl_->ordinal));
}

// --- Configuration space.

bool Driver::config_read(u32 offset, std::span<u8> bytes) {
  const LiveCard::Visit visit(impl_->card, false);
  if (offset > kConfigBytes || bytes.size() > kConfigBytes - offset) return false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const u32 at = offset + static_cast<u32>(i);
    const u32 word = visit.function().config_read(at & ~3u);
    bytes[i] = static_cast<u8>(word >> (at % 4 * 8));
  }
  return true;
}

bool Driver::config_write(u32 offset, std::span<const u8> bytes) {
  if (offset > kConfigBytes || bytes.size() > kConfigBytes - offset) return false;
  bool wants_reset = false;
  {
    const LiveCard::Visit visit(impl_->card, true);
    Function& function = visit.function();
    for (size_t i = 0; i < bytes.size(); ++i) {
      const u32 at = offset + static_cast<u32>(i);
      const u32 shift = at % 4 * 8;
      const u32 word = function.config_read(at & ~3u);
      function.config_write(at & ~3u, (word & ~(0xFFu << shift)) | u32{bytes[i]} << shift);
    }
    wants_reset = function.wants_reset();
  }
  if (!wants_reset) return true;
  std::unique_lock<std::mutex> lock(impl_->mutex);
  impl_->reset_card();
  impl_->notify(lock);
  return true;
}

}  // namespace bhemu::kmd
