#include "shim/windows.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "shim/libc.hpp"

namespace bhemu::shim {
namespace {

constexpr u64 kPage = 4096;
// Windows of BAR 0 and BAR 4 (BlackholeA0/PCIExpressTile/HostToDeviceTLBs.md).
constexpr unsigned kSmallWindows = 202;
constexpr u64 kSmallWindow = u64{2} << 20;
constexpr u64 kLargeWindow = u64{4} << 30;
constexpr unsigned kLargeBar = 4;
constexpr unsigned kLooks = 2;

void* real_mmap(u64 address, u64 bytes, int protection, int flags, int file, u64 offset) {
  static const auto real = next<&::mmap>("mmap");
  return real(reinterpret_cast<void*>(address), bytes, protection, flags, file,
              static_cast<off_t>(offset));
}

constexpr int kNothing = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

u64 rounded(u64 bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

/// What the driver was asked for; given back when the last page of it is unmapped.
struct Windows::Claim {
  Claim(std::shared_ptr<OpenFile> of, u64 at, u64 count)
      : file(std::move(of)), offset(at), bytes(count) {}
  ~Claim() {
    if (!file->abandoned->load()) file->file->unmap(offset, bytes);
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  std::shared_ptr<OpenFile> file;
  u64 offset;
  u64 bytes;
};

Windows::Windows(kmd::Driver& driver, const std::atomic<bool>& abandoned)
    : driver_(driver), abandoned_(abandoned) {
  driver.on_window_change([this](unsigned window) { window_changed(window); });
  driver.on_mappings_lost([this] { mappings_lost(); });
}

void* Windows::map(const std::shared_ptr<OpenFile>& file, const Request& request) {
  const u64 bytes = rounded(request.bytes);
  if (bytes == 0 || request.offset % kPage != 0) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  kmd::Region region;
  if (const int error = file->file->map(request.offset, bytes, region); error < 0) {
    errno = -error;
    return MAP_FAILED;
  }
  auto claim = std::make_shared<Claim>(file, request.offset, bytes);
  constexpr int kKept = MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT;
  const bool memory = region.fd >= 0;
  const u64 hint = reinterpret_cast<u64>(request.hint);
  void* address =
      memory ? real_mmap(hint, bytes, request.protection, request.flags, region.fd, region.offset)
             : real_mmap(hint, bytes, PROT_NONE, kNothing | (request.flags & kKept), -1, 0);
  if (address == MAP_FAILED) return MAP_FAILED;
  const u64 first = reinterpret_cast<u64>(address);
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  mappings_[first] = {first,  bytes, region.bar,      region.offset, request.protection,
                      memory, false, std::move(claim)};
  return address;
}

const Windows::Mapping* Windows::find(u64 address) const {
  auto next_one = mappings_.upper_bound(address);
  if (next_one == mappings_.begin()) return nullptr;
  const Mapping& mapping = std::prev(next_one)->second;
  return address - mapping.address < mapping.bytes ? &mapping : nullptr;
}

/// Makes a mapping begin at `address` if one lies across it.
void Windows::split(u64 address) {
  const Mapping* found = find(address);
  if (found == nullptr || found->address == address) return;
  hide_all(*found);
  Mapping& low = mappings_[found->address];
  Mapping high = low;
  const u64 part = address - low.address;
  low.bytes = part;
  high.address = address;
  high.bytes -= part;
  high.offset += part;
  mappings_[address] = std::move(high);
}

void Windows::forget(u64 address, u64 bytes) {
  std::vector<std::shared_ptr<Claim>> gone;  // given back behind the lock
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  const u64 end = address + rounded(bytes);
  split(address);
  split(end);
  for (auto at = mappings_.lower_bound(address); at != mappings_.end() && at->first < end;) {
    hide_all(at->second);
    gone.push_back(std::move(at->second.claim));
    at = mappings_.erase(at);
  }
}

bool Windows::protect(u64 address, u64 bytes, int protection) {
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  const u64 end = address + rounded(bytes);
  split(address);
  split(end);
  bool any = false;
  for (auto at = mappings_.lower_bound(address); at != mappings_.end() && at->first < end; ++at) {
    if (at->second.memory) continue;
    hide_all(at->second);
    at->second.protection = protection;
    any = true;
  }
  return any;
}

bool Windows::overlaps(u64 address, u64 bytes) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  if (find(address) != nullptr) return true;
  const auto at = mappings_.lower_bound(address);
  return at != mappings_.end() && at->first < address + bytes;
}

/// The piece of `mapping` around `address`, which lies in one window; its first address.
u64 Windows::piece_of(const Mapping& mapping, u64 address, u64& begin, u64& end) const {
  const u64 window = mapping.bar == kLargeBar ? kLargeWindow : kSmallWindow;
  const u64 inside = mapping.offset + (address - mapping.address);
  const u64 first = inside / window * window;
  begin = mapping.address + (std::max(first, mapping.offset) - mapping.offset);
  end = std::min(mapping.address + (first + window - mapping.offset),
                 mapping.address + mapping.bytes);
  return begin;
}

void Windows::hide(const Piece& piece) {
  if (piece.end > piece.begin)
    real_mmap(piece.begin, piece.end - piece.begin, PROT_NONE, kNothing | MAP_FIXED, -1, 0);
}

void Windows::hide_all(const Mapping& mapping) {
  ++changes_;
  auto at = pieces_.lower_bound(mapping.address);
  while (at != pieces_.end() && at->first < mapping.address + mapping.bytes) {
    hide(at->second);
    at = pieces_.erase(at);
  }
}

void Windows::window_changed(unsigned window) {
  const bool large = window >= kSmallWindows;
  const u64 bytes = large ? kLargeWindow : kSmallWindow;
  const u64 offset = (large ? window - kSmallWindows : window) * bytes;
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  ++changes_;
  for (auto at = pieces_.begin(); at != pieces_.end();) {
    const Mapping* mapping = find(at->first);
    const u64 inside = mapping == nullptr ? 0 : mapping->offset + (at->first - mapping->address);
    if (mapping != nullptr && (mapping->bar == kLargeBar) == large && inside >= offset &&
        inside - offset < bytes) {
      hide(at->second);
      at = pieces_.erase(at);
    } else {
      ++at;
    }
  }
}

void Windows::mappings_lost() {
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  for (auto& [address, mapping] : mappings_) {
    if (mapping.memory) continue;
    hide_all(mapping);
    mapping.lost = true;
  }
}

Windows::Fault Windows::fault(u64 address, bool store) {
  {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    const Mapping* mapping = find(address);
    if (mapping == nullptr || mapping->memory) return Fault::Foreign;
    if (mapping->lost) return Fault::Lost;
    // On x86 a page that can be written can be read.
    const int wanted = store ? PROT_WRITE : PROT_READ | PROT_WRITE;
    if ((mapping->protection & wanted) == 0) return Fault::Foreign;
    u64 begin = 0;
    u64 end = 0;
    Piece& piece = pieces_[piece_of(*mapping, address, begin, end)];
    if (address >= piece.begin && address < piece.end)
      return store && !piece.writable ? Fault::Perform : Fault::Retry;
    if (piece.end != 0 || ++piece.looks < kLooks || abandoned_.load()) return Fault::Perform;
  }
  return look_closer(address, store);
}

/// Asks the driver, without our lock, whether there is plain memory, and maps it.
Windows::Fault Windows::look_closer(u64 address, bool store) {
  unsigned bar = 0;
  u64 offset = 0;
  u64 begin = 0;
  u64 end = 0;
  u64 changes = 0;
  {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    const Mapping* mapping = find(address);
    if (mapping == nullptr) return Fault::Foreign;
    piece_of(*mapping, address, begin, end);
    bar = mapping->bar;
    offset = mapping->offset + (begin - mapping->address);
    changes = changes_;
  }
  const std::optional<kmd::Direct> direct = driver_.direct(bar, offset, end - begin);
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  const Mapping* mapping = find(address);
  if (mapping == nullptr || changes != changes_) return Fault::Perform;
  Piece& piece = pieces_[begin];
  piece.begin = begin;
  piece.end = begin;  // registers, unless there is more
  const u64 bytes = direct ? direct->bytes / kPage * kPage : 0;
  if (bytes == 0) {
    // So that later accesses need not ask again.
    piece.begin = piece.end = end;
    return Fault::Perform;
  }
  const int writable = direct->writable ? PROT_WRITE : 0;
  const int protection = mapping->protection & (PROT_READ | writable);
  if (real_mmap(begin, bytes, protection, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, direct->fd,
                direct->offset) == MAP_FAILED) {
    piece.begin = piece.end = end;
    return Fault::Perform;
  }
  piece.end = begin + bytes;
  piece.writable = (protection & PROT_WRITE) != 0;
  const bool there = address < piece.end && (!store || piece.writable);
  return there ? Fault::Retry : Fault::Perform;
}

bool Windows::free_to_use(u64 address) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  const Mapping* mapping = find(address);
  constexpr int kBoth = PROT_READ | PROT_WRITE;
  return mapping != nullptr && (mapping->protection & kBoth) == kBoth;
}

u64 Windows::covers(u64 address) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  const Mapping* mapping = find(address);
  if (mapping == nullptr || mapping->memory) return 0;
  return mapping->bytes - (address - mapping->address);
}

bool Windows::place_of(u64 address, Place& place) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  const Mapping* mapping = find(address);
  if (mapping == nullptr || mapping->lost || abandoned_.load()) return false;
  place = {mapping->bar, mapping->offset + (address - mapping->address)};
  return true;
}

u64 Windows::plain(u64 address) const {
  Place place;
  if (!place_of(address, place)) return 0;
  const std::optional<kmd::Direct> direct =
      driver_.direct(place.bar, place.offset, kPage - address % kPage);
  return direct ? direct->bytes : 0;
}

void Windows::read(u64 address, std::span<u8> bytes) {
  Place place;
  if (place_of(address, place))
    driver_.read(place.bar, place.offset, bytes);
  else
    std::memset(bytes.data(), 0xFF, bytes.size());
}

void Windows::write(u64 address, std::span<const u8> bytes) {
  Place place;
  if (place_of(address, place)) driver_.write(place.bar, place.offset, bytes);
}

void Windows::write(std::span<const Store> stores) {
  std::vector<kmd::Driver::Store> known;
  Place place;
  for (const Store& store : stores)
    if (place_of(store.address, place)) known.push_back({place.bar, place.offset, store.bytes});
  if (!known.empty()) driver_.write(known);
}

void Windows::lock() {
  mutex_.lock();
}

void Windows::unlock() {
  mutex_.unlock();
}

void Windows::abandon() {
  // A lock of this kind remembers which thread has it, and that one is not in the child.
  std::construct_at(&mutex_);
  for (const auto& [address, mapping] : mappings_)
    if (!mapping.memory) hide_all(mapping);
}

}  // namespace bhemu::shim
