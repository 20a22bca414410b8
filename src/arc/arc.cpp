#include "arc/arc.hpp"

#include <cstring>

#include "arc/layout.hpp"
#include "base/bits.hpp"
#include "noc/registers.hpp"

namespace bhemu::arc {
namespace {

constexpr u32 kScratch = kResetUnit + 0x60;
constexpr u32 kRefclkLow = kResetUnit + 0xE0;
constexpr u32 kRefclkHigh = kResetUnit + 0xE4;
constexpr u32 kNiu[] = {kApbBase + 0x50000, kApbBase + 0x58000};
constexpr u32 kMessageFifo = kApbBase + 0xB0000;
constexpr u32 kMessageFifoStatus = kApbBase + 0xB0008;
constexpr u32 kMessageFifoReady = 1;  // it takes what comes, and is empty
constexpr u32 kRefclkMegahertz = 50;

constexpr u32 kTelemetryVersion = 0x00000100;
constexpr u32 kUpdateMilliseconds = 100;
constexpr Cycle kUpdateCycles = u64{kAiclkBusy} * 1000 * kUpdateMilliseconds;
constexpr u32 kHeartbeat = 32;         // tag
constexpr u32 kBootStatusReady = 0x5;  // low three bits of scratch RAM 2
constexpr u32 kTemperature = 45;       // degrees
constexpr u32 kGddrTemperature = 50;

constexpr TelemetryInfo kTags[] = {
#define TELEMETRY(tag, name, value, meaning) {tag, #name, meaning},
#include "arc/telemetry.def"
#undef TELEMETRY
};
constexpr u32 kTelemetryEntries = sizeof(kTags) / sizeof(kTags[0]);
constexpr u32 kTelemetryValues = kTelemetryTable + 8 + 4 * kTelemetryEntries;

u32 gddr_status(u8 enabled) {
  u32 status = 0;
  for (u32 bank = 0; bank < 8; ++bank)
    if (bit(enabled, bank)) status |= 1u << (2 * bank);
  return status;
}

/// Of bank `first` in the low half and the next in the high half.
u32 gddr_temperature(u8 enabled, u32 first) {
  constexpr u32 kBoth = kGddrTemperature << 8 | kGddrTemperature;
  return (bit(enabled, first) ? kBoth : 0) | (bit(enabled, first + 1) ? kBoth << 16 : 0);
}

}  // namespace

const TelemetryInfo* telemetry_tags() {
  return kTags;
}
unsigned telemetry_tag_count() {
  return kTelemetryEntries;
}

Arc::Arc(const noc::EndpointConfig& config, const BoardFacts& board)
    : Endpoint(noc::NodeKind::Arc, config), board_(board), csm_("bhemu-arc-csm", kCsmBytes) {
  reset(0);
}

void Arc::reset(Cycle now) {
  Endpoint::reset(now);
  csm_.clear();
  scratch_ = {};
  scratch_ram_ = {};
  misc_control_ = 0;
  clock_ = {};
  fan_speed_ = kFanSpeed;
  // The first look, right after the start: every heartbeat is another than none.
  heartbeats_ = {};
  ethernet_status_ = board_.enabled_ethernet;
  next_ethernet_look_ = now + kUpdateCycles;
  scratch_ram_[2] = kBootStatusReady;
  scratch_ram_[11] = kQueueControl;
  scratch_ram_[12] = kTelemetryValues;
  scratch_ram_[13] = kTelemetryTable;
  set_csm_word(kQueueControl, kQueues);
  set_csm_word(kQueueControl + 4, kQueueEntries | kQueueCount << 8);
  write_telemetry();
}

u32 Arc::csm_word(u32 address) const {
  u32 value;
  std::memcpy(&value, csm_.data() + (address - kCsmBase), 4);
  return value;
}
void Arc::set_csm_word(u32 address, u32 value) {
  std::memcpy(csm_.data() + (address - kCsmBase), &value, 4);
}

void Arc::write_telemetry() {
  set_csm_word(kTelemetryTable, kTelemetryVersion);
  set_csm_word(kTelemetryTable + 4, kTelemetryEntries);
  for (u32 i = 0; i < kTelemetryEntries; ++i)
    set_csm_word(kTelemetryTable + 8 + 4 * i, kTags[i].tag | i << 16);
  update_telemetry();
}

/// After anything has changed that a value depends on.
void Arc::update_telemetry() {
  const BoardFacts& board = board_;
  const ClockState& clock = clock_;
  const u32 fan_speed = fan_speed_;
  const u32 ethernet_status = ethernet_status_;
  const u32 values[] = {
#define TELEMETRY(tag, name, value, meaning) value,
#include "arc/telemetry.def"
#undef TELEMETRY
  };
  for (u32 i = 0; i < kTelemetryEntries; ++i)
    if (kTags[i].tag != kHeartbeat) set_csm_word(kTelemetryValues + 4 * i, values[i]);
}

void Arc::set_telemetry(u32 tag, u32 value) {
  for (u32 i = 0; i < kTelemetryEntries; ++i)
    if (kTags[i].tag == tag) set_csm_word(kTelemetryValues + 4 * i, value);
}

void Arc::look_at_ethernet(const std::array<u32, 14>& heartbeats, u16 links, Cycle now) {
  u32 alive = 0;
  for (u32 i = 0; i < heartbeats.size(); ++i)
    alive |= u32{bit(board_.enabled_ethernet, i) && heartbeats[i] != heartbeats_[i]} << i;
  heartbeats_ = heartbeats;
  ethernet_status_ = alive | u32{links} << 16;
  next_ethernet_look_ = now + kUpdateCycles;
  update_telemetry();
}

bool Arc::read(u64 address, void* target, u32 bytes, Cycle now) {
  if (address >= kCsmBase && address - kCsmBase <= kCsmBytes &&
      bytes <= kCsmBytes - (address - kCsmBase)) {
    // Time passes for a client: the heartbeat rises with every telemetry update.
    set_telemetry(kHeartbeat, static_cast<u32>(now / kUpdateCycles));
    std::memcpy(target, csm_.data() + (address - kCsmBase), bytes);
    return true;
  }
  u32 value = 0;
  if (bytes != 4 || address % 4 != 0 || address >> 32 != 0 ||
      !read_register(static_cast<u32>(address), value, now))
    return false;
  std::memcpy(target, &value, 4);
  return true;
}

bool Arc::write(u64 address, const void* source, u32 bytes, const Author& author) {
  if (address >= kCsmBase && address - kCsmBase <= kCsmBytes &&
      bytes <= kCsmBytes - (address - kCsmBase)) {
    std::memcpy(csm_.data() + (address - kCsmBase), source, bytes);
    return true;
  }
  if (bytes != 4 || address % 4 != 0 || address >> 32 != 0) return false;
  u32 value;
  std::memcpy(&value, source, 4);
  return write_register(static_cast<u32>(address), value, author);
}

bool Arc::read_register(u32 address, u32& value, Cycle now) const {
  if (address >= kScratch && address < kScratch + sizeof scratch_) {
    value = scratch_[(address - kScratch) / 4];
    return true;
  }
  if (address >= kScratchRam && address < kScratchRam + sizeof scratch_ram_) {
    value = scratch_ram_[(address - kScratchRam) / 4];
    return true;
  }
  const u64 refclk = now * kRefclkMegahertz / kAiclkBusy;
  for (u32 noc = 0; noc < kNocs; ++noc)
    if (address >= kNiu[noc] && read_niu(noc, address - kNiu[noc], value)) return true;
  switch (address) {
    case kMiscControl:
      value = misc_control_;
      return true;
    case kMessageFifoStatus:
      value = kMessageFifoReady;
      return true;
    case kRefclkLow:
      value = static_cast<u32>(refclk);
      return true;
    case kRefclkHigh:
      value = static_cast<u32>(refclk >> 32);
      return true;
    default:
      return false;
  }
}

bool Arc::write_register(u32 address, u32 value, const Author& author) {
  if (address >= kScratch && address < kScratch + sizeof scratch_) {
    scratch_[(address - kScratch) / 4] = value;
    return true;
  }
  if (address >= kScratchRam && address < kScratchRam + sizeof scratch_ram_) {
    scratch_ram_[(address - kScratchRam) / 4] = value;
    return true;
  }
  if (address == kMiscControl) {
    misc_control_ = value & ~kDoorbell;  // the firmware clears its interrupt when it takes it
    if ((value & kDoorbell) != 0) drain_queues(author);
    return true;
  }
  if (address == kMessageFifo) {
    if (value == 0) drain_queues(author);  // the firmware drops any other message
    return true;
  }
  return false;
}

void Arc::archive_memory(Archive& archive) {
  csm_.archive(archive);
  archive.value(scratch_);
  archive.value(scratch_ram_);
  archive.value(misc_control_);
  archive.value(clock_);
  archive.value(fan_speed_);
  archive.value(heartbeats_);
  archive.value(ethernet_status_);
  archive.value(next_ethernet_look_);
}

u64 Arc::hash_memory(u64 seed) const {
  const u64 contents = csm_.hash();
  seed = hash_bytes(seed, &contents, sizeof contents);
  seed = hash_bytes(seed, scratch_.data(), sizeof scratch_);
  seed = hash_bytes(seed, scratch_ram_.data(), sizeof scratch_ram_);
  seed = hash_bytes(seed, &clock_, sizeof clock_);
  const u32 rest[] = {misc_control_, fan_speed_};
  return hash_bytes(seed, rest, sizeof rest);
}

}  // namespace bhemu::arc
