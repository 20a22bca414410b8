// Resets. tt-kmd chardev.c (ioctl_reset_device), pcie.c, blackhole.c (blackhole_reset).
#include <cerrno>

#include "kmd/driver_impl.hpp"

namespace bhemu::kmd {
namespace {

constexpr u32 kParityErrorResponse = 1u << 6;  // of COMMAND: lost in a reset, so it marks one
constexpr u32 kTestMessage = 0x90;

}  // namespace

int Driver::Impl::reset_device(Call& call, UserStructure<abi::ResetDevice> argument) {
  abi::ResetDevice::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  bool done = true;
  switch (in.flags) {
    case abi::kRestoreState:
      done = restore_card();
      break;
    case abi::kResetPcieLink:
      // The chip behind the link does not notice; what the host had mapped is gone.
      lose_mappings();
      break;
    case abi::kConfigWrite:
      invalidate_others(call.file);
      reset_card();
      break;
    case abi::kUserReset:
      invalidate_others(call.file);
      set_reset_marker();
      needs_init = true;
      break;
    case abi::kAsicDmcReset:
    case abi::kAsicReset:
      invalidate_others(call.file);
      // The whole board is reset by its firmware, which must be alive for it.
      done = in.flags == abi::kAsicReset || firmware.send({kTestMessage});
      if (done) {
        set_reset_marker();
        reset_card();
      }
      needs_init = true;
      break;
    case abi::kPostReset:
      done = is_reset_marker_clear();
      if (!std::exchange(needs_init, false)) break;
      done = done && restore_card();
      if (done) firmware.probe_telemetry();
      break;
    default:
      return -EINVAL;
  }
  waiters.notify_all();
  abi::ResetDevice::Out out{};
  out.output_size_bytes = sizeof out;
  out.result = done ? 0 : 1;
  return argument.answer(out, in.output_size_bytes);
}

/// Files other than the resetting one are dead from here on; what they held goes back at once, for
/// a process that hangs may never close them.
void Driver::Impl::invalidate_others(File::Impl& survivor) {
  survivor.generation = ++generation;
  lose_mappings();
  for (File::Impl* file : files) {
    if (file == &survivor) continue;
    windows &= ~file->windows;
    file->windows.reset();
    const auto give_back = [&](int& region) {
      if (region != kNoRegion) outbound[static_cast<unsigned>(region)] = {};
      region = kNoRegion;
    };
    for (auto& [index, buffer] : file->buffers) give_back(buffer.region);
    for (Pin& pin : file->pins) give_back(pin.region);
  }
}

void Driver::Impl::lose_mappings() {
  for (File::Impl* file : files) file->mapped.clear();
  mappings_lost = true;
}

void Driver::Impl::reset_card() {
  old_devices.push_back(card.reset());
  all_windows_changed();
}

/// False: no card answers on the bus. A card that a fault has stopped does, since its PCI function
/// goes on; nothing else of it does.
bool Driver::Impl::restore_card() {
  firmware.restore_reset_state();
  firmware.init_hardware();
  return true;
}

u32 Driver::Impl::config_word(u32 offset) {
  const LiveCard::Visit visit(card, false);
  return visit.function().config_read(offset);
}

void Driver::Impl::set_reset_marker() {
  const LiveCard::Visit visit(card, true);
  card::Function& function = visit.function();
  const u32 command = function.config_read(card::kConfig_COMMAND_STATUS);
  function.config_write(card::kConfig_COMMAND_STATUS, command | kParityErrorResponse);
}

bool Driver::Impl::is_reset_marker_clear() {
  return (config_word(card::kConfig_COMMAND_STATUS) & kParityErrorResponse) == 0;
}

}  // namespace bhemu::kmd
