// The overlay streams of a tile (0xFFB40000, 4 KiB each; 64 of a Tensix tile, 32 of an Ethernet
// tile): as registers for general use (circular-buffer counters, semaphores with atomic increment,
// scratch), and in Tensix tiles as queues of messages from the tile's software to itself or to
// nowhere, with configuration from L1 between phases.
//
// Documents: WormholeB0/NoC/Overlay/ (AsGeneralUse, README, ReceiveFromSoftware,
// TransmitToSoftware, TransmitToNowhere, LoadConfigurationFromL1); stream.def; spec
// stream-registers.md. Which stream serves which circular buffer is software's choice.
// Not modelled, and refused when a phase starts: streams that
// send to or receive from other streams or DRAM, and gathering.
// A stream does what it can at once with the write that lets it; silicon takes some cycles.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "base/archive.hpp"
#include "base/types.hpp"
#include "base/wakeup.hpp"
#include "mem/l1.hpp"

namespace bhemu::noc {

inline constexpr u32 kStreams = 64;
inline constexpr u32 kStreamStride = 0x1000;

/// Register indices, by name.
namespace stream {
#define STREAM(name, index, count, width, access, kind, where, reset, meaning) \
  inline constexpr u32 name = index;
#include "noc/stream.def"
#undef STREAM
}  // namespace stream

struct StreamRegisterInfo {
  const char* name;
  u32 index;
  u32 count;
  u32 width;
  bool readable;
  bool writable;
  u64 streams;  // a bit per stream that has it
  u32 reset;
  u32 slot;  // where its words are in StreamState
  const char* meaning;
  bool is_flow;  // not a word of its own: what stream_flow.cpp makes of it
};

/// The row that covers a register index; null: no such register.
const StreamRegisterInfo* stream_register_at(u32 index);
const StreamRegisterInfo* stream_registers();
unsigned stream_register_count();

/// Messages in a stream's metadata FIFO, entries in its L1 read complete FIFO; whether it keeps
/// copies of message headers.
u32 metadata_capacity(u32 stream);
u32 completion_capacity(u32 stream);
bool keeps_headers(u32 stream);

inline constexpr u32 kStreamSlots = 96;
using StreamState = std::array<u32, kStreamSlots>;

/// STREAM_CURR_STATE of STREAM_WAIT_STATUS. Loading takes no time here, so 1 and 2 never show.
enum class StreamPhase : u8 { Idle = 0, Configured = 3, Flushing = 4, Ongoing = 5 };

struct StreamMessage {
  u32 address = 0;  // in units of 16 bytes, as the length
  u32 length = 0;
  std::array<u32, 4> header{};
  bool operator==(const StreamMessage&) const = default;
};

/// What a stream that moves messages remembers beside its registers.
struct StreamFlow {
  static constexpr u32 kMessages = 16;
  static constexpr u32 kCompletions = 8;
  StreamPhase phase = StreamPhase::Idle;
  u32 remaining = 0;  // messages that the phase still has to send
  u32 expected = 0;   // messages of the phase, and how many have been pushed
  u32 pushed = 0;
  u32 wanted_clears = 0;  // STREAM_MULTI_MSG_CLEAR, not yet done
  u32 next_message = 0;   // where the next message begins, relative to the buffer
  u32 messages = 0;       // in the message metadata FIFO
  u32 completions = 0;    // in the L1 read complete FIFO
  std::array<StreamMessage, kMessages> message{};
  std::array<u32, kCompletions> completion{};
  std::array<u32, 4> header{};  // STREAM_RECEIVER_ENDPOINT_SET_MSG_HEADER
  bool operator==(const StreamFlow&) const = default;
};

/// Of the streams of a tile. They take 30 KB, which exist once something is done with messages:
/// most software only counts in streams' registers.
class StreamFlows {
 public:
  const StreamFlow& operator[](u32 stream) const {
    static constexpr StreamFlow kUntouched{};
    return all_ != nullptr ? (*all_)[stream] : kUntouched;
  }
  /// To be changed.
  StreamFlow& at(u32 stream) {
    if (all_ == nullptr) all_ = std::make_unique<All>();
    return (*all_)[stream];
  }
  bool exist() const { return all_ != nullptr; }
  void clear() { all_.reset(); }
  void archive(Archive& archive) {
    const auto untouched = [](const StreamFlow& flow) { return flow == StreamFlow{}; };
    if (all_ != nullptr && std::all_of(all_->begin(), all_->end(), untouched)) clear();
    bool any = exist();
    archive.value(any);
    if (!any) return clear();
    if (all_ == nullptr) all_ = std::make_unique<All>();
    archive.whole(*all_);
  }

 private:
  using All = std::array<StreamFlow, kStreams>;
  std::unique_ptr<All> all_;  // null: as after a reset
};

class StreamFile {
 public:
  /// `l1`: where message headers and configuration lie; without it no stream moves anything.
  explicit StreamFile(Wakeup* wakeup, u32 streams = kStreams, const L1* l1 = nullptr,
                      InZeroedMemory zeroed = {})
      : count_(streams), wakeup_(wakeup), l1_(l1) {
    if (!zeroed.holds) words_ = {};
    set_reset_values();
  }

  /// Byte offset from 0xFFB40000, aligned 32-bit. False: no such register, or one that cannot be
  /// read (written), or, when `refusal` has a text, something that is not modelled.
  bool read(u32 offset, u32& value);
  /// What `read` gives for the registers of a stream that are words of their own, by their slots;
  /// only those that `shows` are meant.
  void look(u32 stream, StreamState& values) const;
  static bool shows(u32 stream, const StreamRegisterInfo& info);
  /// Touches Resource::Stream before any change.
  bool write(u32 offset, u32 value);
  /// As `write`, for the registers that circular buffers are counted in, which firmware writes for
  /// each buffer of each launch (stream_table.hpp). False: it is another, and nothing is done.
  bool count(u32 offset, u32 value);
  /// The same, to STREAM_REMOTE_DEST_BUF_START or `size`, for who knows that nobody waits for a
  /// stream. False: the tile has no such stream.
  bool count_unwatched(u32 stream, bool size, u32 value);
  /// Asks the host for what `count` writes.
  void fetch_counts() const;
  /// Why the last access was refused; null: there is no such register.
  const char* refusal() const { return refusal_; }
  static bool read_has_effect(u32 offset);
  /// STREAM_BLOB_AUTO_CFG_DONE is not zero.
  bool any_finished() const { return finished_ != 0; }

  void reset();
  u64 hash(u64 seed) const;
  void archive(Archive& archive) {
    archive.value(words_);
    flows_.archive(archive);
    archive.value(finished_);
    archive.value(finished_last_);
  }

 private:
  // As hashed.
  using ByStream = std::array<StreamState, kStreams>;
  ByStream by_stream() const;
  StreamState state(u32 stream) const;
  /// Where the memory of the registers is zero.
  void set_reset_values();
  u32& word(u32 stream, u32 index);
  u32 word(u32 stream, u32 index) const;
  bool derive(u32 stream, const StreamRegisterInfo& info, u32 index, u32& value) const;
  u32 relative(u32 stream, u32 index, u32 base, u32 width) const;
  bool trigger(u32 stream, u32 index, u32 value);
  bool store(u32 stream, u32 index, u32 value);
  bool refuse(const char* why) {
    refusal_ = why;
    return false;
  }
  // Messages (stream_flow.cpp)
  bool read_flow(u32 stream, u32 index, u32& value);
  bool write_flow(u32 stream, u32 index, u32 value);
  u32 message_info(u32 stream, u32 place) const;
  u32 space_available(u32 stream) const;
  u32 next_finished();
  bool load_configuration(u32 stream);
  bool start(u32 stream);
  bool enter_phase(u32 stream);
  bool end_phase(u32 stream);
  bool advance(u32 stream);
  void fetch_messages(u32 stream);
  bool push_message(u32 stream, u32 value);
  bool clear_info(u32 stream, u32 count);
  bool clear_data(u32 stream);
  u32 length_of(const StreamMessage& message) const;
  void step_pointer(u32 stream, u32 index, u32 length);
  void stop(u32 stream);

  u32 count_;  // that the tile has
  // By slot: software sets the same two registers of all streams, one after the other, so a slot
  // lies in two lines of the host's caches.
  alignas(64) std::array<std::array<u32, kStreams>, kStreamSlots> words_;
  StreamFlows flows_;
  u64 finished_ = 0;  // STREAM_BLOB_AUTO_CFG_DONE
  u32 finished_last_ = kStreams - 1;
  u32 phases_begun_ = 0;  // by the access under way
  const char* refusal_ = nullptr;
  Wakeup* wakeup_;
  const L1* l1_;
};

}  // namespace bhemu::noc
