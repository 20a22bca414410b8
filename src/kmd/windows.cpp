// Windows: handing out, taking back, aiming. tt-kmd tlb.c, memory.c, blackhole.c.
#include <cerrno>

#include "kmd/driver_impl.hpp"
#include "kmd/window_words.hpp"

namespace bhemu::kmd {

using card::Function;
using card::Windows;

int Driver::Impl::allocate_tlb(Call& call, UserStructure<abi::AllocateTlb> argument) {
  abi::AllocateTlb::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  const bool small = in.size == Windows::kSmallBytes;
  if (!small && in.size != Windows::kLargeBytes) return -EINVAL;
  const unsigned first = small ? 0 : Windows::kSmall;
  const unsigned end = small ? Windows::kSmall : Windows::kCount;
  unsigned id = first;
  while (id < end && windows[id]) ++id;
  if (id == end) return -ENOMEM;
  // In BAR 0 the offset is the window's own; those of BAR 4 come behind all of BAR 0.
  const u64 place = small ? id * Windows::kSmallBytes
                          : Function::kBar0Bytes + (id - Windows::kSmall) * Windows::kLargeBytes;
  abi::AllocateTlb::Out out{};
  out.id = id;
  out.mmap_offset_uc = abi::kOffsetTlbUncached + place;
  out.mmap_offset_wc = abi::kOffsetTlbCombining + place;
  if (!argument.put_out(out)) return -EFAULT;
  windows.set(id);
  call.file.windows.set(id);
  return 0;
}

int Driver::Impl::free_tlb(Call& call, UserStructure<abi::FreeTlb> argument) {
  abi::FreeTlb::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  if (in.id >= abi::kMaxTlbs) return -EINVAL;
  File::Impl& file = call.file;
  if (in.id >= kWindows || !file.windows[in.id]) return -EPERM;
  if (std::find(file.mapped.begin(), file.mapped.end(), in.id) != file.mapped.end()) return -EBUSY;
  file.windows.reset(in.id);
  windows.reset(in.id);
  return 0;
}

int Driver::Impl::configure_tlb(Call& call, UserStructure<abi::ConfigureTlb> argument) {
  abi::ConfigureTlb::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  if (in.id >= abi::kMaxTlbs) return -EINVAL;
  if (in.id >= kWindows || !call.file.windows[in.id]) return -EPERM;
  if (in.config.addr % Windows::bytes_of(in.id) != 0) return -EINVAL;
  card.access(true, [&](Function& function) { aim_window(function, in.id, in.config); });
  window_changed(in.id);
  return 0;
}

}  // namespace bhemu::kmd
