// The port of an Ethernet tile: start addresses and interrupt controller of its cores, transmit and
// receive queues, header table, classifier, PTP timer, MAC, and the link behind them.
//
// Documents: registers.def. Not modelled: interrupts in a mode other than 0 (no document says what
// the modes are), timestamps, the PTP timer, the MAC's own registers; they raise eth-not-modelled.
// Queues move nothing yet, since no port has a peer: a command raises eth-no-link.
#pragma once

#include <memory>

#include "base/archive.hpp"
#include "base/fault.hpp"
#include "base/wakeup.hpp"
#include "eth/classifier.hpp"
#include "eth/link.hpp"
#include "eth/registers.hpp"
#include "mem/l1.hpp"

namespace bhemu::eth {

class Port {
 public:
  struct Environment {
    FaultPort* faults = nullptr;
    Wakeup* wakeup = nullptr;
    u32 instance = 0;
    u32 l1_bytes = kEthernetL1Size;
  };
  Port(const Environment& environment, std::unique_ptr<Link> link);

  /// Absolute, aligned addresses. False: a rule was broken and its severity is Error.
  bool read(u32 address, u32& value, const Author& author);
  bool write(u32 address, u32 value, const Author& author);
  /// A loop with this read in it may be parked: the register changes by writes alone.
  static bool is_steady(u32 address);

  u32 start_pc(unsigned core) const;
  void set_start_pc(unsigned core, u32 pc, u32 end_pc);
  bool is_up() const { return link_->is_up(); }
  u32 instance() const { return environment_.instance; }
  u32 word(Block block, u32 copy, u32 offset) const { return words_[slot_of(block, copy, offset)]; }

  void reset();
  u64 hash(u64 seed) const;
  void archive(Archive& archive);

 private:
  u32& word(Block block, u32 copy, u32 offset) { return words_[slot_of(block, copy, offset)]; }
  u32 live(const Place& place) const;
  bool trigger(const Place& place, u32 value, const Author& author);
  bool command(u32 queue, u32 value, const Author& author);
  void access_tcam(u32 update);
  void access_tcam_row(u32 update);
  void access_flow_table(u32 update);
  [[gnu::cold]] bool raise(Rule rule, const Author& author, std::string text);

  Environment environment_;
  std::unique_ptr<Link> link_;
  std::array<u32, kSlots> words_{};
  Classifier classifier_;
};

}  // namespace bhemu::eth
