// The message queues of the ARC firmware (messages.def): tt-zephyr-platforms
// lib/tenstorrent/bh_arc/msgqueue.c and the handlers beside it.
#include <fmt/format.h>

#include "arc/arc.hpp"
#include "arc/layout.hpp"
#include "base/bits.hpp"

namespace bhemu::arc {
namespace {

enum Message : u32 {
#define ARC_MESSAGE(code, name, kind, meaning) name = code,
#include "arc/messages.def"
#undef ARC_MESSAGE
};

constexpr MessageInfo kMessages[] = {
#define ARC_MESSAGE(code, name, kind, meaning) {code, #name, MessageKind::kind, meaning},
#include "arc/messages.def"
#undef ARC_MESSAGE
};

const MessageInfo* message_at(u32 code) {
  for (const MessageInfo& row : kMessages)
    if (row.code == code) return &row;
  return nullptr;
}

constexpr u32 kWrap = 2 * kQueueEntries;  // pointers count modulo this: equal is empty
constexpr u32 kUnknown = 0xFF;
constexpr u32 kScratchOnly = 0xFE;
constexpr u32 kFailed = 1;

// Offsets in a queue's header. The client writes the first two, the firmware the others.
constexpr u32 kRequestWrite = 0x00;
constexpr u32 kResponseRead = 0x04;
constexpr u32 kRequestRead = 0x10;
constexpr u32 kResponseWrite = 0x14;
constexpr u32 kLastSerial = 0x18;

constexpr u32 kClockForced = 2;
constexpr u32 kClockNotForced = 3;
constexpr u32 kForceLeast = 200;  // MHz (aiclk_ppm.c)
constexpr u32 kForceMost = 1400;
constexpr u32 kMaximumLeast = 800;
constexpr u32 kTdpLeast = 50;  // W (throttler.c)
constexpr u32 kTdpDefault = ClockState{}.tdp_limit;
constexpr u32 kWatchdogFeed = 250;  // ms (Kconfig)
constexpr u32 kNotSupported = 134;  // ENOTSUP
constexpr u32 kSensors = 8;
constexpr u32 kRawTemperature = 1454;  // of 45 degrees (pvt_tt_bh_decoder.c)
constexpr u32 kTemperature = 45u << 16;

// Word 1 of the answer to TOGGLE_GDDR_RESET.
constexpr u32 kNoSuchBank = 1;
constexpr u32 kHarvestedBank = 2;

}  // namespace

const MessageInfo* arc_messages() {
  return kMessages;
}
unsigned arc_message_count() {
  return sizeof(kMessages) / sizeof(kMessages[0]);
}

void Arc::drain_queues(const Author& author) {
  for (u32 queue = 0; queue < kQueueCount; ++queue)
    drain_queue(kQueues + queue * kQueueStride, author);
}

void Arc::drain_queue(u32 queue, const Author& author) {
  const u32 requests = queue + kQueueHeaderBytes;
  const u32 responses = requests + kQueueEntries * kEntryBytes;
  for (;;) {
    const u32 request_write = csm_word(queue + kRequestWrite);
    const u32 request_read = csm_word(queue + kRequestRead);
    const u32 response_write = csm_word(queue + kResponseWrite);
    const u32 response_read = csm_word(queue + kResponseRead);
    // Pointers beyond the wrap stop a queue for good, and so does a client that takes no answers.
    if (request_write == request_read ||
        (response_write - response_read) % kWrap == kQueueEntries || request_write >= kWrap ||
        request_read >= kWrap || response_write >= kWrap)
      return;
    Words request{};
    Words response{};
    for (u32 i = 0; i < request.size(); ++i)
      request[i] = csm_word(requests + request_read % kQueueEntries * kEntryBytes + 4 * i);
    set_csm_word(queue + kRequestRead, (request_read + 1) % kWrap);
    answer_any(queue, request, response, author);
    for (u32 i = 0; i < response.size(); ++i)
      set_csm_word(responses + response_write % kQueueEntries * kEntryBytes + 4 * i, response[i]);
    set_csm_word(queue + kResponseWrite, (response_write + 1) % kWrap);
    if ((request[0] & 0xFF) != SET_LAST_SERIAL)
      set_csm_word(queue + kLastSerial, csm_word(queue + kLastSerial) + 1);
  }
}

/// Word 0 of a response: status in its low byte, 0 when all is well.
void Arc::answer_any(u32 queue, const Words& request, Words& response, const Author& author) {
  const u32 code = request[0] & 0xFF;
  const MessageInfo* message = message_at(code);
  if (message == nullptr) {
    response[0] = kUnknown;
    faults_.raise(Rule::ArcMessage, author.agent, author.pc, author.cycle,
                  fmt::format("message code 0x{:02x}", code));
  } else if (message->kind == MessageKind::NotModelled) {
    response[0] = kUnknown;
    faults_.raise(Rule::ArcMessage, author.agent, author.pc, author.cycle,
                  fmt::format("message 0x{:02x}, {} ({})", code, message->name, message->meaning));
  } else if (message->kind == MessageKind::Answered) {
    answer(queue, request, response);
    update_telemetry();
  }
}

u32 Arc::answer_gddr_reset(u32 bank, u32& reason) const {
  if (bank >= 8)
    reason = kNoSuchBank;
  else if (!bit(board_.enabled_gddr, bank))
    reason = kHarvestedBank;
  return reason == 0 ? 0 : kFailed;
}

// tidy: allow function-length: one case per message
void Arc::answer(u32 queue, const Words& request, Words& response) {
  const u32 argument = request[1];
  const bool restore = bit(request[2], 0);
  switch (request[0] & 0xFF) {
    case REPORT_SCRATCH_ONLY:
      response[0] = kScratchOnly;
      return;
    case READ_TS:
      if (argument >= kSensors) {
        response[0] = kFailed;
        return;
      }
      response[1] = kRawTemperature;
      response[2] = kTemperature;
      return;
    case POWER_SETTING:
      // Bits 11:8: how many of the flags from bit 16 on are valid; the first is AICLK's.
      if (bits(request[0], 8, 4) != 0) clock_.power_busy = bit(request[0], 16);
      return;
    case SET_TDP_LIMIT:
      if (!restore && (argument < kTdpLeast || argument > kTdpDefault))
        response[0] = kFailed;
      else
        clock_.tdp_limit = restore ? kTdpDefault : argument;
      return;
    case SET_ASIC_HOST_FMAX:
      if (!restore && (argument < kMaximumLeast || argument > kForceMost))
        response[0] = kFailed;
      else
        clock_.host_maximum = restore ? 0 : argument;
      return;
    case FORCE_AICLK:
      if (argument != 0 && (argument < kForceLeast || argument > kForceMost))
        response[0] = kFailed;
      else
        clock_.forced = argument;
      return;
    case GET_AICLK:
      response[1] = clock_.aiclk();
      response[2] = clock_.forced != 0 ? kClockForced : kClockNotForced;
      return;
    case AICLK_GO_BUSY:
      clock_.busy = 1;
      return;
    case AICLK_GO_LONG_IDLE:
      clock_.busy = 0;
      return;
    case TEST:
      response[1] = argument + 1;
      response[2] = csm_word(queue + kLastSerial) + 1;
      return;
    case FORCE_FAN_SPEED:
      fan_speed_ = argument == ~0u ? kFanSpeed : std::min(argument, 100u);
      return;
    case TOGGLE_GDDR_RESET:
      response[0] = answer_gddr_reset(argument, response[1]);
      return;
    case SET_LAST_SERIAL:
      set_csm_word(queue + kLastSerial, argument);
      return;
    case PING_DM:
      response[1] = 1;
      return;
    case SET_WDT_TIMEOUT:
      if (argument != 0 && argument <= kWatchdogFeed) response[0] = kNotSupported;
      return;
    default:
      return;  // Answered rows have their case: tests/noc/arc_test.cpp
  }
}

}  // namespace bhemu::arc
