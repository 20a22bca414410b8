// All that happens to places of one node, as accesses with authors: the common ground of last
// writers and watchpoints.
#pragma once

#include <array>
#include <vector>

#include "trace/observer.hpp"
#include "watch/place.hpp"

namespace bhemu::watch {

/// Who has accessed a place.
struct Actor {
  enum class Kind : u8 {
    Core,
    Thread,  // an instruction of the coprocessor
    Noc,     // an NIU, for a core of some tile
    Mover,
    Host,
  };
  Kind kind = Kind::Host;
  Agent issuer = Agent::Host;  // Noc: the core that has asked
  Author author;               // its tile is always known; of Noc: the tile that has asked
  u32 request = 0;             // Noc: number of the request in that tile; 0: not known
  u64 record = 0;              // Thread: number of its record (writers.hpp); 0: none
  u32 pushed_from = kNoPc;     // Thread: pc of the core that pushed the word it comes from
  Agent pusher = Agent::Host;

  static constexpr u32 kNoPc = ~0u;
};

struct Access {
  Place place;
  bool reads = false;
  bool writes = false;
  /// Of objects that are like registers, and of a core's load or store: what was there and is.
  bool has_values = false;
  u32 before = 0;
  u32 after = 0;
};

class Accesses : public trace::Observer {
 public:
  /// `tensix`: it is a tile with L1 and cores; else all its addresses are memory.
  /// `core_loads`: whether `accessed` is to be told of plain loads of cores.
  Accesses(NodeId node, u32 l1_bytes, bool core_loads = true)
      : node_(node), l1_bytes_(l1_bytes), core_loads_(core_loads) {}

  NodeId node() const { return node_; }

  void retired(const trace::Instruction& one) override;
  void pushed(const trace::Push& one) override;
  void issued(const trace::Issue& one) override;
  void changed(const trace::ObjectChange& one) override;
  void arrived(const trace::Arrival& one) override;
  trace::Instructions wanted_instructions() const override {
    return core_loads_ ? trace::Instructions::Accesses : trace::Instructions::Effects;
  }
  bool wants_l1_writes() const override { return true; }
  void landed(const trace::Landing& one) override;
  void writes_l1(u32 address, u32 bytes, const Author& author) override;
  void host_wrote(u64 address, std::span<const u8> bytes, Cycle now) override;
  void host_read(u64 address, std::span<const u8> bytes, Cycle now) override;
  void forget() override;

 protected:
  /// After it, in the order of events.
  virtual void accessed(const Access& access, const Actor& actor) = 0;
  /// An instruction of the coprocessor is about to be told by its accesses; may give it a record.
  virtual void issuing(const trace::Issue&, Actor&) {}
  /// What units have written to L1 and no instruction has been named for yet.
  void flush_writes();

 private:
  /// Of a request or the host: where the address is.
  Place place_at(u64 address, u64 bytes) const;
  Place place_of_core(const trace::Instruction& one, const trace::CoreAccess& access) const;
  void tell_core(const trace::Instruction& one, const trace::CoreAccess& access);
  void find_pusher(const trace::Issue& one, Actor& actor) const;
  Author here(Author author) const {
    if (author.tile == kNoNode) author.tile = node_;
    return author;
  }

  struct Write {
    u32 address = 0;
    u32 bytes = 0;
    Author author;
  };
  struct Pushed {
    u64 number = 0;
    u32 pc = 0;
    Agent agent = Agent::Host;
  };
  static constexpr u32 kPushes = 128;  // remembered: more than can wait for their gate

  NodeId node_;
  u32 l1_bytes_;  // 0: no tile
  bool core_loads_;
  std::vector<Write> writes_;
  std::array<std::array<std::array<Pushed, kPushes>, 2>, kThreads> pushes_{};
};

}  // namespace bhemu::watch
