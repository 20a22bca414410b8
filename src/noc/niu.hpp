// One NoC interface unit of a tile: command buffers, configuration, status counters.
//
// Documents: BlackholeA0/NoC/ (MemoryMap, Counters, Interrupts, Coordinates, Atomics), spec niu.md;
// registers: niu.def. A request departs when CMD_CTRL is written, and its source data is read then
// (later, and in pieces, where effects are put off: depart.cpp). It has its effect at the target
// one_way (or loopback) cycles later; the response takes as long again. CMD_CTRL always reads 0 and
// the request FIFO is always empty: how long a core waits for a free buffer is not modelled.
// A request above 16 KiB is one event and counts as the packets that silicon makes of it.
//
// MemoryMap.md says that the translated coordinates are written back to TARG/RET_ADDR_HI. Firmware
// sets its own coordinate there once and issues many requests (noc_init), which works only if
// translation does not compound; the registers here keep what was written.
#pragma once

#include <memory>
#include <string>

#include "base/fault.hpp"
#include "base/wait.hpp"
#include "base/wakeup.hpp"
#include "mem/arena.hpp"
#include "mem/l1.hpp"
#include "noc/niu_state.hpp"
#include "noc/node.hpp"
#include "noc/packet.hpp"
#include "noc/routing.hpp"
#include "noc/serve.hpp"
#include "noc/timing.hpp"

namespace bhemu::trace {
class Observer;
}

namespace bhemu::noc {

/// The tile around an NIU. Its memory is L1, and the tile's NoC-visible register space above it;
/// where nothing is, the NIU raises the fault.
class NiuHost : public ServedMemory {
 public:
  /// Hands a packet to the engine (other nodes) or to the tile's own queue (packet.target is the
  /// tile itself). `arrival` is set; the receiver of this call numbers the packet: `sequence` rises
  /// per source node, over both its NIUs.
  virtual void send(Packet&& packet) = 0;
  /// The same for all receivers of a broadcast. `packet` is that of the first of them, without its
  /// target; at the tile itself it arrives in cycle `home`. False: send them one by one.
  virtual bool send_to_all(Packet&, const std::shared_ptr<const Receivers>&, Cycle) {
    return false;
  }

 protected:
  ~NiuHost() = default;
};

/// Who wants to know of an NIU's requests, for checks.
class NiuChecks {
 public:
  /// A request is about to be sent, for which `answers` responses will come; `local` is the address
  /// in this tile.
  virtual void requested(const Packet& packet, u64 local, u32 answers) = 0;
  /// The last part of a response has come.
  virtual void answered(const Packet& packet, Cycle now) = 0;

 protected:
  ~NiuChecks() = default;
};

/// What the tile around an NIU gives it.
struct NiuEnvironment {
  const Routing* routing = nullptr;
  const Timing* timing = nullptr;
  Wakeup* wakeup = nullptr;  // touch(niu_of(noc)) before any readable register changes
  FaultPort* faults = nullptr;
  NodeId node = kNoNode;
  u32 instance = 0;        // of an Ethernet tile, for NOC_ENDPOINT_ID
  Coord position;          // NoC 0 coordinate of the tile
  Arena* arena = nullptr;  // where the state lies; null: anywhere
  NiuHost* host = nullptr;
  NiuChecks* checks = nullptr;  // null: nobody wants to know
};

struct Command;  // a decoded command buffer, noc/command.hpp

class Niu {
 public:
  Niu(unsigned noc, const NiuEnvironment& environment);
  ~Niu();

  /// Register window of 64 KiB at 0xFFB20000 / 0xFFB30000, byte offset, aligned 32-bit.
  /// False: no such register (the caller faults). A write may send packets; it never waits. When a
  /// request breaks a rule, the fault is raised with the given author, and nothing is sent:
  /// a caller that must stop the agent looks at FaultPort::stopped().
  bool read(u32 offset, u32& value, const Author& author);
  bool write(u32 offset, u32 value, const Author& author);
  /// Whether reading this register changes something (NIU_TRANS_COUNT_RTZ_NUM): such a read is not
  /// part of a loop that may be parked.
  static bool read_has_effect(u32 offset) { return offset == niu::NIU_TRANS_COUNT_RTZ_NUM; }
  /// The same value without any effect or fault; false where there is nothing to see.
  bool look(u32 offset, u32& value) const {
    if (offset >= kNiuWindow || (kNiuWays[offset / 4] & kMayLook) == 0) return false;
    value = read_has_effect(offset) ? 0 : word(offset);
    return true;
  }
  /// As `write`, for the registers of command buffers that only hold a request's parts until it is
  /// sent, and which a kernel writes most. False: nothing is done, `write` is the way.
  bool hold(u32 offset, u32 value) {
    if (offset >= kNiuWindow || (kNiuWays[offset / 4] & kJustHoldsWord) == 0) return false;
    touch();
    word(offset) = value;
    return true;
  }

  /// A packet arrived at this tile on this NoC: a request to serve or a response to our own.
  void receive(Packet&& packet, Cycle now);
  /// Acknowledgements of one cycle, if nothing else arrives in that cycle.
  void receive(const Acknowledgements& all, Cycle now);
  /// A write was carried out past the NIU (Tile::receive_at_rest); it is counted.
  void count_served(const Packet& request);
  /// The answer of this tile to a write, unless its arrival says otherwise.
  Packet acknowledgement(const Packet& request, Cycle now) const;

  /// The NIU asks for its interrupt (Interrupts.md: RTZ_SOURCE & RTZ_CFG).
  bool interrupt() const {
    return (word(niu::NIU_TRANS_COUNT_RTZ_SOURCE) & word(niu::NIU_TRANS_COUNT_RTZ_CFG) & 0xFFFF) !=
           0;
  }

  void reset();
  u64 hash(u64 seed) const;
  void archive(Archive& archive);
  /// For the hang report: requests not answered yet ("2 reads from DRAM bank 3 (17,21) at 0x...").
  std::string outstanding() const;
  /// The same as data: a Wait of the kind Answers for each kind of request and target.
  void find_outstanding(std::vector<Wait>& waits) const;
  bool has_outstanding() const;

  /// Whom to tell of requests and arrivals; null: nobody.
  void set_observer(trace::Observer* observer) { observer_ = observer; }

  /// The delays of its requests from now on; null: none. Between runs only.
  void set_delays(Delays* delays) { delays_ = delays; }
  /// Requests may wait for their way out in a timing without delays, too: the tile asks
  /// next_departure.
  void set_departures(bool on) { departs_ = on; }
  /// The next piece of data of a packet that has arrived. True: only one is left, for `receive`.
  /// False: the packet comes again at its new arrival.
  bool take_piece(Packet& packet, Cycle now);
  /// When the first request that waits for its way out leaves; kNever: none does.
  Cycle next_departure() const;
  /// Lets out whatever leaves in cycle `now` at the latest.
  void depart_due(Cycle now);

  NiuState& state() { return *state_; }
  const NiuState& state() const { return *state_; }

 private:
  struct Targets;
  struct Written;
  /// Who received the latest broadcast. It is that of the same coordinates until a register
  /// outside of the command buffers is written.
  struct Broadcast {
    std::shared_ptr<const Receivers> receivers;  // null: not known
    u32 coordinate = 0;
    u32 exclude = 0;
    bool include_source = false;
    bool by_core = false;
  };

  void set_computed_words();
  void touch() {
    if (environment_.wakeup != nullptr) environment_.wakeup->touch(niu_of(noc_));
  }
  u32& word(u32 offset) { return state_->words[offset / 4]; }
  u32 word(u32 offset) const { return state_->words[offset / 4]; }
  void count(u32 offset, u32 amount = 1) { word(offset) += amount; }
  void raise_transactions(u32 counter, u32 id, u32 amount, const Author& issuer);
  /// `times`: one after the other.
  void lower_transactions(u32 counter, u32 id, u32 amount, u32 times = 1);
  u32 next_rtz();
  /// True: the request must not go out.
  [[gnu::cold]] bool refuse(Rule rule, const Author& issuer, std::string text);

  // Issue (issue.cpp)
  void issue(u32 buffer, const Author& issuer);
  Command decode(u32 buffer) const;
  void issue_read(const Command& command, const Author& issuer);
  void issue_write(const Command& command, const Author& issuer);
  void count_write(Packet& packet, const Command& command, const Targets& targets,
                   const Author& issuer);
  void count_sent(const Packet& packet);
  void issue_atomic(const Command& command, const Author& issuer);
  bool check_control(const Command& command, const Author& issuer);
  bool check_linked(const Command& command, u32 coordinate, const Author& issuer);
  bool check_length(const Command& command, const Author& issuer);
  bool find_targets(const Command& command, u32 coordinate, const Author& issuer, Targets& targets);
  bool check_corners(u32 coordinate, const Author& issuer);
  bool find_broadcast(const Command& command, u32 coordinate, const Author& issuer,
                      Targets& targets);
  bool find_receivers(const Command& command, u32 coordinate, const Author& issuer,
                      Receivers& receivers);
  NodeId resolve(u32 coordinate, Coord* physical, const Author& issuer, bool* stop);
  Coord translated(Coord coord) const;
  bool find_reply(u32 coordinate, const Author& issuer, NodeId& reply);
  bool read_source(u64 address, u32 bytes, u64 to, const Author& issuer, Payload& payload);
  Packet request(PacketKind kind, const Command& command, const Author& issuer) const;
  /// `local`: the address in this tile that the request reads from or returns to.
  void send_request(Packet&& packet, const Command& command, u64 local, const Targets& targets,
                    const Author& issuer);
  // Late requests (depart.cpp)
  bool put_off(Packet& packet, u64 local, const Targets& targets, const Author& issuer);
  void draw_answer(Packet& packet, const Targets& targets, const Author& issuer);
  u32 draw_spread(const Packet& packet, u32 bytes, const Author& issuer, u32 which);
  void read_piece(Departure& departure);
  void tell_source(const Departure& departure, u32 first, u32 bytes);
  void depart(Departure& departure);
  void address_to(Packet& packet, NodeId node, Coord coord) const;
  void dispatch(Packet&& packet, Cycle now);
  void tell(Packet& packet, const Command& command, u64 local, const Targets& targets,
            const Author& issuer);
  void finish_split(u32 buffer, const Command& command);

  // Arrival (receive.cpp)
  void serve_request(Packet& packet, Cycle now);
  void complete_response(Packet& packet, Cycle now);
  void count_arrival(const Packet& packet);

  // Requests under way, for the report (outstanding.cpp)
  u32 track(PacketKind kind, const Command& command, u64 address, const Targets& targets,
            Cycle now);
  void untrack(u32 index, u32 answers = 1);

  ArenaPtr<NiuState> state_;
  NiuEnvironment environment_;
  unsigned noc_;
  trace::Observer* observer_ = nullptr;
  Delays* delays_ = nullptr;
  bool departs_ = false;
  u32 told_ = 0;  // requests that an observer was told of
  Broadcast broadcast_;
  bool refused_ = false;  // since it was last set to false
};

/// "2 reads from DRAM bank 3 (17, 21) at 0x40 (first issued in cycle 9)"; `target`: the node's
/// name.
std::string text_of_answers(const Wait& wait, const std::string& target);

}  // namespace bhemu::noc
