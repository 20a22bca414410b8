#include "arc/arc.hpp"

#include <cstring>

#include <fmt/format.h>

#include "base/bits.hpp"
#include "noc/registers.hpp"

namespace bhemu::arc {
namespace {

constexpr u32 kScratch = kResetUnit + 0x60;
constexpr u32 kRefclkLow = kResetUnit + 0xE0;
constexpr u32 kRefclkHigh = kResetUnit + 0xE4;
constexpr u32 kNiu[] = {kApbBase + 0x50000, kApbBase + 0x58000};
constexpr u32 kMessageFifo = kApbBase + 0xB0000;
constexpr u32 kMessageFifoBytes = 0x1000;
constexpr u32 kRefclkMegahertz = 50;

// Where things are in CSM is the firmware's choice; clients follow the pointers in scratch RAM.
constexpr u32 kTelemetryTable = kCsmBase + 0x1000;
constexpr u32 kQueueControl = kCsmBase + 0x2000;
constexpr u32 kQueues = kCsmBase + 0x2020;
constexpr u32 kQueueCount = 4;
constexpr u32 kQueueEntries = 4;
constexpr u32 kQueueHeaderBytes = 32;
constexpr u32 kEntryBytes = 32;
constexpr u32 kQueueStride = kQueueHeaderBytes + 2 * kQueueEntries * kEntryBytes;

constexpr u32 kTelemetryVersion = 0x00000100;
constexpr u32 kUpdateMilliseconds = 100;
constexpr u32 kBootStatusReady = 0x5;  // low three bits of scratch RAM 2
constexpr u32 kUnknownMessage = 0xFF;

constexpr TelemetryInfo kTags[] = {
#define TELEMETRY(tag, name, value, meaning) {tag, #name, meaning},
#include "arc/telemetry.def"
#undef TELEMETRY
};
constexpr u32 kTelemetryEntries = sizeof(kTags) / sizeof(kTags[0]);
constexpr u32 kTelemetryValues = kTelemetryTable + 8 + 4 * kTelemetryEntries;

u32 ddr_status(u8 enabled) {
  u32 status = 0;
  for (u32 bank = 0; bank < 8; ++bank)
    if (bit(enabled, bank)) status |= 1u << (2 * bank);
  return status;
}

// Message codes: tt-umd arc_message_type; tt-zephyr-platforms smc_msg.h.
enum Message : u32 {
  kNop = 0x11,
  kPowerSetting = 0x21,
  kGetAiclk = 0x34,
  kGoBusy = 0x52,
  kGoShortIdle = 0x53,
  kGoLongIdle = 0x54,
  kTest = 0x90,
  kAsicState0 = 0xA0,
  kAsicState3 = 0xA3,
  kDeassertRiscvReset = 0xBA,
  kSetWatchdog = 0xC1,
};

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
  aiclk_ = kAiclkIdle;
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
  const BoardFacts& board = board_;
  const u32 values[] = {
#define TELEMETRY(tag, name, value, meaning) value,
#include "arc/telemetry.def"
#undef TELEMETRY
  };
  set_csm_word(kTelemetryTable, kTelemetryVersion);
  set_csm_word(kTelemetryTable + 4, kTelemetryEntries);
  for (u32 i = 0; i < kTelemetryEntries; ++i) {
    set_csm_word(kTelemetryTable + 8 + 4 * i, kTags[i].tag | i << 16);
    set_csm_word(kTelemetryValues + 4 * i, values[i]);
  }
}

void Arc::set_telemetry(u32 tag, u32 value) {
  for (u32 i = 0; i < kTelemetryEntries; ++i)
    if (kTags[i].tag == tag) set_csm_word(kTelemetryValues + 4 * i, value);
}

void Arc::set_aiclk(u32 megahertz) {
  aiclk_ = megahertz;
  set_telemetry(14, megahertz);
}

bool Arc::read(u64 address, void* target, u32 bytes, Cycle now) {
  if (address >= kCsmBase && address - kCsmBase <= kCsmBytes &&
      bytes <= kCsmBytes - (address - kCsmBase)) {
    // Time passes for a client: the heartbeat rises with every telemetry update.
    set_telemetry(32, static_cast<u32>(now / (u64{kAiclkBusy} * 1000 * kUpdateMilliseconds)));
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
  if (address >= kMessageFifo && address < kMessageFifo + kMessageFifoBytes) {
    drain_queues(author);
    return true;
  }
  return false;
}

void Arc::drain_queues(const Author& author) {
  for (u32 queue = 0; queue < kQueueCount; ++queue)
    drain_queue(kQueues + queue * kQueueStride, author);
}

// Header words: 0 request write pointer (client), 1 response read pointer (client), 4 request read
// pointer (ARC), 5 response write pointer (ARC); pointers count modulo twice the entries.
void Arc::drain_queue(u32 queue, const Author& author) {
  constexpr u32 kWrap = 2 * kQueueEntries;
  const u32 request_write = csm_word(queue) % kWrap;
  u32 request_read = csm_word(queue + 0x10) % kWrap;
  u32 response_write = csm_word(queue + 0x14) % kWrap;
  const u32 requests = queue + kQueueHeaderBytes;
  const u32 responses = requests + kQueueEntries * kEntryBytes;
  while (request_read != request_write) {
    std::array<u32, 8> request{};
    std::array<u32, 8> response{};
    for (u32 i = 0; i < 8; ++i)
      request[i] = csm_word(requests + request_read % kQueueEntries * kEntryBytes + 4 * i);
    answer(request, response, author);
    for (u32 i = 0; i < 8; ++i)
      set_csm_word(responses + response_write % kQueueEntries * kEntryBytes + 4 * i, response[i]);
    request_read = (request_read + 1) % kWrap;
    response_write = (response_write + 1) % kWrap;
  }
  set_csm_word(queue + 0x10, request_read);
  set_csm_word(queue + 0x14, response_write);
}

// Word 0 of a response: status in its low byte (0 = done), a value in its high half; word 1 data.
void Arc::answer(const std::array<u32, 8>& request, std::array<u32, 8>& response,
                 const Author& author) {
  switch (request[0] & 0xFF) {
    case kNop:
    case kDeassertRiscvReset:
    case kSetWatchdog:
      return;
    case kPowerSetting:
      // Bits 11:8 say how many flags from bit 16 on are meant; the first is the clock.
      if (bits(request[0], 8, 4) != 0) set_aiclk(bit(request[0], 16) ? kAiclkBusy : kAiclkIdle);
      return;
    case kGetAiclk:
      response[1] = aiclk_;
      return;
    case kGoBusy:
    case kAsicState0:
      return set_aiclk(kAiclkBusy);
    case kGoShortIdle:
    case kGoLongIdle:
    case kAsicState3:
      return set_aiclk(kAiclkIdle);
    case kTest:
      response[1] = request[1] + 1;
      return;
    default:
      response[0] = kUnknownMessage;
      faults_.raise(Rule::ArcMessage, author.agent, author.pc, author.cycle,
                    fmt::format("message code 0x{:02x}", request[0] & 0xFF));
  }
}

void Arc::archive_memory(Archive& archive) {
  csm_.archive(archive);
  archive.value(scratch_);
  archive.value(scratch_ram_);
  archive.value(misc_control_);
  archive.value(aiclk_);
}

u64 Arc::hash_memory(u64 seed) const {
  const u64 contents = csm_.hash();
  seed = hash_bytes(seed, &contents, sizeof contents);
  seed = hash_bytes(seed, scratch_.data(), sizeof scratch_);
  seed = hash_bytes(seed, scratch_ram_.data(), sizeof scratch_ram_);
  const u32 rest[] = {misc_control_, aiclk_};
  return hash_bytes(seed, rest, sizeof rest);
}

}  // namespace bhemu::arc
