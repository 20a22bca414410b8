#include "kmd/firmware.hpp"

#include "base/bits.hpp"
#include "kmd/live_card.hpp"
#include "kmd/window_words.hpp"

namespace bhemu::kmd {
namespace {

constexpr u32 kArcX = 8;
constexpr u32 kArcY = 0;
constexpr u32 kScratchRam = 0x80030400;
constexpr u32 kBootStatus = kScratchRam + 4 * 2;
constexpr u32 kQueueControl = kScratchRam + 4 * 11;
constexpr u32 kTelemetryData = kScratchRam + 4 * 12;
constexpr u32 kTelemetryTable = kScratchRam + 4 * 13;
constexpr u32 kMessageFifo = 0x800B0000;
constexpr u32 kReadyForMessages = 1;
constexpr u64 kCsm = 0x10000000;
constexpr u64 kCsmBytes = u64{1} << 19;

constexpr u32 kQueueHeader = 32;
constexpr u32 kEntry = 32;
constexpr u32 kRequestWrite = 0x00;
constexpr u32 kResponseRead = 0x04;
constexpr u32 kRequestRead = 0x10;
constexpr u32 kResponseWrite = 0x14;

constexpr u32 kAsicState0 = 0xA0;
constexpr u32 kSetWatchdog = 0xC1;
constexpr u32 kWatchdogMilliseconds = 10'000;  // module parameter auto_reset_timeout

constexpr u64 kNiuId = 0x1FD04044;  // BAR 0
constexpr u64 kControllerWindow = 0xF800000000000000;
constexpr u32 kDeviceControl = 0x78;
constexpr unsigned kPayloadBit = 5;
constexpr u32 kPayloadMask = 7u << kPayloadBit;

bool in_csm(u64 address, u64 bytes) {
  return address >= kCsm && address <= kCsm + kCsmBytes - bytes;
}

/// What the driver sets its window to: one tile, strictly ordered.
abi::NocTlbConfig kernel_aim(u32 x, u32 y, u64 address, unsigned noc) {
  abi::NocTlbConfig config{};
  config.addr = address & ~(card::Windows::kSmallBytes - 1);
  config.x_end = static_cast<u16>(x);
  config.y_end = static_cast<u16>(y);
  config.ordering = 1;
  config.noc = static_cast<u8>(noc);
  return config;
}

u64 kernel_place(u64 address) {
  return Firmware::kKernelWindow * card::Windows::kSmallBytes +
         (address & (card::Windows::kSmallBytes - 1));
}

}  // namespace

u32 Firmware::read32(u32 x, u32 y, u64 address, unsigned noc) {
  u32 value = ~0u;
  card_.access(true, [&](card::Function& function) {
    aim_window(function, kKernelWindow, kernel_aim(x, y, address, noc));
    function.bar_read(0, kernel_place(address), {reinterpret_cast<u8*>(&value), 4});
  });
  return value;
}

void Firmware::write32(u32 x, u32 y, u64 address, u32 value, unsigned noc) {
  card_.access(true, [&](card::Function& function) {
    aim_window(function, kKernelWindow, kernel_aim(x, y, address, noc));
    function.bar_write(0, kernel_place(address), {reinterpret_cast<const u8*>(&value), 4});
  });
}

std::optional<u32> Firmware::csm_read32(u64 address) {
  if (!in_csm(address, 4)) return std::nullopt;
  return read32(kArcX, kArcY, address);
}

bool Firmware::csm_write32(u64 address, u32 value) {
  if (!in_csm(address, 4)) return false;
  write32(kArcX, kArcY, address, value);
  return true;
}

/// The firmware of an emulated card answers before the write that rings for it is done, so nothing
/// here waits.
bool Firmware::send(std::array<u32, 8> message) {
  const u32 boot = read32(kArcX, kArcY, kBootStatus);
  if (boot == ~0u || (boot & kReadyForMessages) == 0) return false;
  const u64 control = read32(kArcX, kArcY, kQueueControl);
  const auto queue = csm_read32(control);
  const auto info = csm_read32(control + 4);
  if (!queue || !info || (*info & 0xFF) == 0) return false;
  const u32 entries = *info & 0xFF;
  const u32 wrap = 2 * entries;
  const u64 requests = u64{*queue} + kQueueHeader;
  const u64 responses = requests + u64{entries} * kEntry;

  const auto write = csm_read32(*queue + kRequestWrite);
  const auto taken = csm_read32(*queue + kRequestRead);
  if (!write || !taken || *write == ~0u || *taken == ~0u) return false;
  if ((*write - *taken) % wrap >= entries) return false;  // full
  for (u32 i = 0; i < message.size(); ++i)
    if (!csm_write32(requests + *write % entries * kEntry + 4 * i, message[i])) return false;
  if (!csm_write32(*queue + kRequestWrite, (*write + 1) % wrap)) return false;
  write32(kArcX, kArcY, kMessageFifo, 0);

  const auto read = csm_read32(*queue + kResponseRead);
  const auto answered = csm_read32(*queue + kResponseWrite);
  if (!read || !answered || *read == ~0u || (*answered - *read) % wrap == 0) return false;
  const auto status = csm_read32(responses + *read % entries * kEntry);
  csm_write32(*queue + kResponseRead, (*read + 1) % wrap);
  return status && *status == 0;
}

void Firmware::probe_telemetry() {
  telemetry_.clear();
  const u64 table = read32(kArcX, kArcY, kTelemetryTable);
  const u64 data = read32(kArcX, kArcY, kTelemetryData);
  if (!in_csm(table, 1) || !in_csm(data, 1)) return;
  const u32 entries = csm_read32(table + 4).value_or(0);
  for (u32 i = 0; i < entries; ++i) {
    const auto entry = csm_read32(table + 8 + 4 * u64{i});
    if (!entry) return;
    telemetry_[*entry & 0xFFFF] = data + 4 * u64{*entry >> 16};
  }
}

std::optional<u32> Firmware::telemetry(u32 tag) {
  const auto at = telemetry_.find(tag);
  return at == telemetry_.end() ? std::nullopt : csm_read32(at->second);
}

void Firmware::init_hardware() {
  send({kAsicState0});
  send({kSetWatchdog, kWatchdogMilliseconds});
}

/// There are two PCIe tiles; the NIU says which one this card uses.
std::optional<u32> Firmware::pcie_column() {
  u32 id = 0;
  if (!card_.read(0, kNiuId, {reinterpret_cast<u8*>(&id), 4})) return std::nullopt;
  const u32 x = id & 0x3F;
  return x == 2 || x == 11 ? std::optional<u32>(x) : std::nullopt;
}

void Firmware::save_reset_state() {
  if (const auto x = pcie_column())
    saved_payload_ = read32(*x, 0, kControllerWindow + kDeviceControl) & kPayloadMask;
}

void Firmware::restore_reset_state() {
  const auto x = pcie_column();
  if (!x) return;
  const u32 control = read32(*x, 0, kControllerWindow + kDeviceControl);
  write32(*x, 0, kControllerWindow + kDeviceControl, (control & ~kPayloadMask) | saved_payload_);
}

}  // namespace bhemu::kmd
