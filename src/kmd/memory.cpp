// Memory of the host that the card reaches: DMA buffers, pinned pages, regions of the outbound
// iATU. tt-kmd memory.c.
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include "kmd/driver_impl.hpp"
#include "pcie/controller.hpp"
#include "pcie/endpoint.hpp"

namespace bhemu::kmd {
namespace {

constexpr u64 kNocDmaLimit = pcie::kWindowBytes - 1;  // of an address in front of the iATU
constexpr u64 kLargestRegion = u64{1} << 40;
constexpr u32 kPeerBars = 17;  // resources of a PCI function: BARs, ROM, those of bridges
constexpr u32 kIncreaseRegionSize = 1u << 13;
constexpr u32 kRegionEnable = 1u << 31;

bool whole_pages(u64 value) {
  return value % abi::kPage == 0;
}

/// The same pages at another address; empty: they cannot be moved. Where they were there is memory
/// still, so that nobody else gets the place before its owner has unmapped it.
std::span<u8> move_pages(u64 address, u64 bytes) {
  void* from = reinterpret_cast<void*>(address);  // NOLINT: an address of the client's
  constexpr int kReserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* to = mmap(nullptr, bytes, PROT_NONE, kReserve, -1, 0);
  if (to == MAP_FAILED) return {};
  constexpr int kMove = MREMAP_MAYMOVE | MREMAP_FIXED;
  if (mremap(from, bytes, bytes, kMove | MREMAP_DONTUNMAP, to) == MAP_FAILED) {
    // A kernel that is too old for this kind of memory.
    if (mremap(from, bytes, bytes, kMove, to) == MAP_FAILED) {
      munmap(to, bytes);
      return {};
    }
    mmap(from, bytes, PROT_NONE, kReserve | MAP_FIXED_NOREPLACE, -1, 0);
  }
  return {static_cast<u8*>(to), bytes};
}

}  // namespace

// --- Outbound iATU.

int Driver::Impl::find_room(bool top_down, u64 bytes, u64& base) const {
  std::vector<Outbound> used;
  for (const Outbound& region : outbound)
    if (region.owner != nullptr) used.push_back(region);
  std::sort(used.begin(), used.end(),
            [](const Outbound& a, const Outbound& b) { return a.base < b.base; });
  // Gaps are [from, to).
  u64 from = 0;
  bool found = false;
  const auto take = [&](u64 to) {
    if (to - from < bytes || (found && !top_down)) return;
    base = top_down ? to - bytes : from;
    found = true;
  };
  for (const Outbound& region : used) {
    take(region.base);
    from = region.limit + 1;
  }
  take(kNocDmaLimit + 1);
  return found ? 0 : -ENOMEM;
}

int Driver::Impl::add_region(File::Impl& file, bool top_down, u64 bytes, u64 target,
                             u64& noc_address) {
  u64 base = 0;
  if (const int error = find_room(top_down, bytes, base)) return error;
  const auto free = std::find_if(outbound.begin(), outbound.end(),
                                 [](const Outbound& region) { return region.owner == nullptr; });
  if (free == outbound.end()) return -ENOSPC;
  if (bytes > kLargestRegion) return -EINVAL;
  const auto region = static_cast<unsigned>(free - outbound.begin());
  *free = {&file, base, base + bytes - 1};
  program_region(region, free->base, free->limit, target);
  noc_address = pcie::kHostWindow + base;
  return static_cast<int>(region);
}

void Driver::Impl::program_region(unsigned region, u64 base, u64 limit, u64 target) {
  const auto low = [](u64 value) { return static_cast<u32>(value); };
  const auto high = [](u64 value) { return static_cast<u32>(value >> 32); };
  card.access(true, [&](card::Function& function) {
    const auto put = [&](u32 name, u32 value) {
      function.bar_write(2, name + region * pcie::Controller::kRegionStride,
                         {reinterpret_cast<const u8*>(&value), 4});
    };
    put(pcie::IATU_OUT_BASE_LOW, low(base));
    put(pcie::IATU_OUT_BASE_HIGH, high(base));
    put(pcie::IATU_OUT_TARGET_LOW, low(target));
    put(pcie::IATU_OUT_TARGET_HIGH, high(target));
    put(pcie::IATU_OUT_LIMIT_LOW, low(limit));
    put(pcie::IATU_OUT_LIMIT_HIGH, high(limit));
    put(pcie::IATU_OUT_CONTROL_1, kIncreaseRegionSize);
    put(pcie::IATU_OUT_CONTROL_2, limit == 0 ? 0 : kRegionEnable);
    put(pcie::IATU_OUT_CONTROL_3, 0);
  });
}

void Driver::Impl::remove_region(int region) {
  if (region == kNoRegion) return;
  const auto index = static_cast<unsigned>(region);
  program_region(index, 0, 0, 0);
  outbound[index] = {};
}

// --- DMA buffers.

int Driver::Impl::allocate_dma_buf(Call& call, UserStructure<abi::AllocateDmaBuf> argument) {
  abi::AllocateDmaBuf::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  if (!whole_pages(in.requested_size) || in.requested_size == 0 ||
      in.requested_size > u32{1} << abi::kMaxDmaBufSizeLog2)
    return -EINVAL;
  File::Impl& file = call.file;
  if (file.buffers.contains(in.buf_index)) return -EINVAL;
  DmaBuf buffer;
  try {
    buffer.memory = Mapping("bhemu-dma", in.requested_size);
  } catch (const std::system_error&) {
    return -ENOMEM;
  }
  {
    const LiveCard::Visit visit(card, true);
    buffer.bus_address = bus.add({buffer.memory.data(), in.requested_size}, false);
  }
  abi::AllocateDmaBuf::Out out{};
  int result = 0;
  if ((in.flags & abi::kDmaBufNoc) != 0) {
    result = add_region(file, true, in.requested_size, buffer.bus_address, out.noc_address);
    if (result >= 0) buffer.region = std::exchange(result, 0);
  }
  out.physical_address = buffer.bus_address;
  out.mapping_offset = abi::kOffsetDmaBuf + in.buf_index * abi::kDmaBufStep;
  out.size = in.requested_size;
  if (result == 0 && !argument.put_out(out)) result = -EFAULT;
  if (result != 0) {
    release(buffer);
    return result;
  }
  file.buffers.emplace(in.buf_index, std::move(buffer));
  return 0;
}

int Driver::Impl::free_dma_buf(Call&, UserStructure<abi::NoArgument>) {
  return -EINVAL;
}

void Driver::Impl::release(DmaBuf& buffer) {
  remove_region(buffer.region);
  const LiveCard::Visit visit(card, true);
  bus.remove(buffer.bus_address, buffer.memory.size());
}

// --- Pinned pages.

int Driver::Impl::pin_pages(Call& call, UserStructure<abi::PinPages> argument) {
  constexpr u32 kKnown =
      abi::kPinContiguous | abi::kPinNocDma | abi::kPinNocTopDown | abi::kPinReadOnly;
  abi::PinPages::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  if (!argument.clear_out(in.output_size_bytes)) return -EFAULT;
  if ((in.flags & ~kKnown) != 0) return -EINVAL;
  if (!whole_pages(in.virtual_address) || !whole_pages(in.size) || in.size == 0) return -EINVAL;
  const bool read_only = (in.flags & abi::kPinReadOnly) != 0;
  File::Impl& file = call.file;
  Pin pin;
  pin.virtual_address = in.virtual_address;
  pin.pages = in.size / abi::kPage;
  for (const Pin& other : file.pins)
    if (other.virtual_address == pin.virtual_address && other.pages == pin.pages) return -EEXIST;
  if (!is_mapped(in.virtual_address, in.size, !read_only)) return -EFAULT;
  {
    const LiveCard::Visit visit(card, true);
    ++pins;
    pin.bus_address =
        bus.add({reinterpret_cast<u8*>(in.virtual_address), in.size}, read_only);  // NOLINT
  }
  abi::PinPages::Out out{};
  out.physical_address = pin.bus_address;
  int result = 0;
  if ((in.flags & (abi::kPinNocDma | abi::kPinNocTopDown)) != 0) {
    const bool top_down = (in.flags & abi::kPinNocTopDown) != 0;
    result = add_region(file, top_down, in.size, pin.bus_address, out.noc_address);
    if (result >= 0) pin.region = std::exchange(result, 0);
  }
  const u64 copied = std::min<u64>(in.output_size_bytes, sizeof out);
  if (result == 0 && !argument.put_out(out, copied)) result = -EFAULT;
  if (result != 0) {
    release(pin);
    return result;
  }
  file.pins.push_back(std::move(pin));
  return 0;
}

void Driver::Impl::release(Pin& pin) {
  remove_region(pin.region);
  {
    const LiveCard::Visit visit(card, true);
    bus.remove(pin.bus_address, pin.bytes());
  }
  for (const Pin::Kept& kept : pin.kept) munmap(kept.memory.data(), kept.memory.size());
  --pins;
}

/// Pinned pages outlive their mapping: they move out of the way before it goes.
void Driver::Impl::keep(Pin& pin, u64 address, u64 bytes) {
  const u64 first = std::max(address, pin.virtual_address);
  const u64 end = std::min(address + bytes, pin.virtual_address + pin.bytes());
  // What has moved before left a hole, in which anybody's memory may be now.
  for (const Pin::Kept& kept : pin.kept) {
    const u64 gone = kept.address;
    const u64 last = gone + kept.memory.size();
    if (gone >= end || last <= first) continue;
    if (gone > first) keep(pin, first, gone - first);
    if (last < end) keep(pin, last, end - last);
    return;
  }
  if (first >= end) return;
  const LiveCard::Visit visit(card, true);
  each_mapping(first, end - first, [&](u64 part, u64 size) {
    const std::span<u8> memory = move_pages(part, size);
    if (memory.empty()) return;
    bus.move(pin.bus_address + (part - pin.virtual_address), memory);
    pin.kept.push_back({part, memory});
  });
}

void Driver::before_unmap(u64 address, u64 bytes) {
  if (impl_->pins.load() == 0) return;
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  for (File::Impl* file : impl_->files)
    for (Pin& pin : file->pins) impl_->keep(pin, address, bytes);
}

int Driver::Impl::unpin_pages(Call& call, UserStructure<abi::UnpinPages> argument) {
  abi::UnpinPages::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  const u64 pages = in.size / abi::kPage;
  if (in.reserved != 0 || pages == 0) return -EINVAL;
  // Of several that begin at this address the last one pinned is meant.
  std::vector<Pin>& all = call.file.pins;
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const Pin& pin) {
    return pin.virtual_address == in.virtual_address;
  });
  if (last == all.rend() || last->pages != pages) return -EINVAL;
  release(*last);
  all.erase(std::next(last).base());
  return 0;
}

// --- Other cards: there is one.

int Driver::Impl::map_peer_bar(Call&, UserStructure<abi::MapPeerBar> argument) {
  abi::MapPeerBar::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  if (in.flags != 0 || in.peer_bar_index >= kPeerBars || in.peer_bar_length == 0) return -EINVAL;
  if (fcntl(static_cast<int>(in.peer_fd), F_GETFD) < 0) return -EBADF;
  return -EINVAL;  // no file of this driver, or one of the same card
}

}  // namespace bhemu::kmd
