// Notices that the client of a driver's card waits for what will never come: for a kernel that
// hangs, or for a card that has stopped answering.
//
// Such a client is told by the card, which stops answering: reads are all ones then, as of a card
// that is gone. Where tt-metal waits for kernels itself it makes an exception of that (llrt.cpp,
// check_if_riscs_on_specified_core_done). Nobody else need notice: tt-umd does not for a Blackhole
// (blackhole_tt_device.cpp, is_hardware_hung), and who looks at his own memory cannot. What goes on
// asking or waiting long after the card has died will do so for ever, and is ended.
//
// How a hang is known is written in poll_watch.hpp and standstill.hpp. Both need the client's
// reads, so memory that could be mapped into the client is not while a kernel seems to hang. A
// client without go messages waits by a word of its own (word_watch.hpp): when nothing has happened
// on the chip for a while, memory is taken out of sight until the client has read data, or does so
// again, less and less often.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "card/function.hpp"
#include "kmd/go_messages.hpp"
#include "kmd/poll_watch.hpp"
#include "kmd/standstill.hpp"
#include "kmd/word_watch.hpp"

namespace bhemu::kmd {

class HangWatch {
 public:
  using Behind = std::optional<card::Function::Behind>;
  enum class Verdict : u8 {
    None,
    Says,   // a kernel hangs; the client may be busy with something else
    Looks,  // it looks at a word of its own that nobody will write
    Hangs,  // the client asks for what will never be
    Ends,   // the client waits in its own memory, where nothing reaches it
    Stops,  // the client asks and asks, and does not take all ones for an answer
  };
  struct Look {
    bool dead = false;   // the card does not answer
    bool still = false;  // nothing can happen unless the client writes
    u64 calls = 0;       // so far
  };

  /// `looks_at_leisure`: the client reads words for other reasons than that it waits.
  HangWatch(unsigned seconds, bool looks_at_leisure)
      : polls_(seconds),
        words_(looks_at_leisure ? 0 : seconds),
        standstill_(seconds * Ticker::kTicksPerSecond),
        longest_(Standstill::kLongFault * seconds * Ticker::kTicksPerSecond) {}

  // All at the edge of an epoch.

  void was_read(const Device& device, const Behind& place, std::span<const u8> bytes, bool still);
  void was_written(const Device& device, const Behind& place, std::span<const u8> bytes);
  Verdict tick(Device& device, const Look& look);
  /// The client's reads of L1 must not pass unseen.
  bool suspects() const { return suspects_ || looks_on_; }
  /// Nor may those of DRAM.
  bool looks_on() const { return looks_on_; }
  const WordWatch& words() const { return words_; }
  /// What is to be said when it hangs.
  std::string sentence(Device& device) const;
  /// The tiles whose kernels will never be done.
  std::vector<Coord> tiles(Device& device) const;

 private:
  bool asks_a_dead_card(const Look& look);
  void look_on(bool still);

  PollWatch polls_;
  WordWatch words_;
  GoMessages go_messages_;
  Standstill standstill_;
  const unsigned longest_;  // ticks
  u64 writes_ = 0;
  u64 calls_ = 0;        // until the last tick
  unsigned dead_ = 0;    // ticks
  unsigned asked_ = 0;   // of these, with a call
  unsigned still_ = 0;   // ticks with a kernel that cannot go on
  unsigned moving_ = 0;  // in a row in which that was not so
  bool suspects_ = false;
  bool looks_on_ = false;        // what the client looks at is of interest
  unsigned quiet_ = 0;           // ticks without a write, on a chip where nothing happens
  unsigned before_looking_ = 0;  // of these, until the client's reads are looked at
};

}  // namespace bhemu::kmd
