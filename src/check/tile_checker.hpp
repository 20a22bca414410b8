// The checks of --check that look on at every instruction of a tile (docs/DEBUGGING.md, "Checks"):
// reads of what nobody has written, stores to what is somebody else's, caches that are out of date,
// reads of data that is still under way, Tensix instructions that mean nothing.
//
// It begins to look when a program is launched. What was there before counts as unwritten, save
// firmware, mailboxes and the cores' own variables.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "base/check_groups.hpp"
#include "check/layout.hpp"
#include "check/shadow.hpp"
#include "tensix/footprint/footprint.hpp"
#include "tensix/state.hpp"
#include "tile/tile.hpp"
#include "trace/observer.hpp"

namespace bhemu::check {

class TileChecker final : public trace::Observer {
 public:
  TileChecker(tile::Tile& tile, CheckSet set, std::shared_ptr<const Layout> layout);

  /// A launch: kernels begin anew, and what is in L1 stays written.
  void begin(std::shared_ptr<const Layout> layout);
  /// What earlier launches have left in circular buffers is nobody's.
  void empty_buffers();

  trace::Instructions wanted_instructions() const override { return trace::Instructions::NotPlain; }
  u32 wanted_spaces() const override;
  bool wants_changes() const override { return false; }
  void executes(const trace::Instruction& one) override;
  void runs(const trace::Stretch& one) override;
  void ran(const trace::Stretch& one) override;
  void retired(const trace::Instruction& one) override;
  void issued(const trace::Issue& one) override;
  void pushed(const trace::Push& one) override;
  void requested(const trace::Request& one) override;
  void arrived(const trace::Arrival& one) override;
  void host_wrote(u64 address, std::span<const u8> bytes, Cycle now) override;
  void forget() override;

 private:
  struct CachedLine {
    u32 line = 0;
    bool stale = false;
    Author writer;
  };
  struct CoreView {
    u32 sp = 0;
    bool stack_told = false;
    std::deque<CachedLine> l0;
    u32 cfg0 = 0;
    Shadow fetched;  // by line of L1
    Shadow changed;  // of these: since it was fetched
    u32 line = ~0u;
  };

  /// Accesses of one agent, each where the one before it has ended.
  struct Run {
    u64 begin = 0;
    u64 end = 0;
    u64 key = 0;
    const Buffer* buffer = nullptr;  // in which it has begun
    bool told = false;
  };

  bool has(CheckGroup group) const { return set_.has(group); }
  bool launched() const { return layout_->kernel_base != Layout::kNever; }
  bool in_kernel(u32 pc) const { return pc >= layout_->kernel_base; }
  Author pusher_of(const trace::Issue& one) const;
  std::string pushed_from(const trace::Issue& one) const { return place_of(pusher_of(one)); }
  /// "TRISC1 pc 0x8a10"; empty where it is no core.
  static std::string place_of(const Author& pusher);
  void raise(Rule rule, const Author& author, std::string text);
  /// "page 1 of circular buffer 0", "tensor input", or "what belongs to no buffer".
  std::string place(u64 address) const;

  void check_issue(const trace::Issue& one);
  void written(u64 address, u64 bytes, const Author& author);
  void read(u64 address, u64 bytes, const Author& author, const char* how);
  void core_access(const trace::Instruction& one, const trace::CoreAccess& access);
  // uninitialised.cpp
  void check_load(const trace::Instruction& one, const trace::CoreAccess& access);
  bool check_argument(const trace::Instruction& one, const trace::CoreAccess& access);
  static bool keeps(const trace::Issue& one, u32 lreg);
  void check_touch(const trace::Issue& one, const tensix::Touch& touch);
  void note_touch(const tensix::Touch& touch);
  void check_address_mode(const trace::Issue& one);
  std::string source_of(const tensix::Touch& touch, u32 row) const;
  void check_computed(const trace::Issue& one);
  // guards.cpp
  void check_stack(const trace::Instruction& one);
  void check_jump(const Author& author, u32 target);
  /// `issuer`: the core that has asked for it. `result`: it is what an atomic has found.
  void check_store(u64 address, u64 bytes, const Author& author, Agent issuer, bool result);
  // buffers.cpp
  const Buffer* buffer_at(u64 address) const;
  void check_extent(u64 address, u64 bytes, const Author& author, const std::string& what);
  void extend(Run& run, u64 address, u64 bytes, u64 key, const Author& author, const char* what);
  void check_tile_data(const trace::Issue& one);
  /// A store, or the scalar unit's, that pushes pages.
  void note_push(u32 address, const Author& author, std::string from);
  /// What nobody has written lies in a page that was pushed: who has pushed it is to blame.
  /// The page at an address is filled and not yet taken.
  bool is_filled(const Buffer& buffer, u64 address) const;
  /// The data of a read must not land in a page that its consumer has yet to take.
  void check_landing_place(const trace::Request& one);
  bool blame_producer(u64 address, u64 bytes, const Author& reader);
  void raise_beyond(const Buffer& buffer, u64 begin, u64 end, const Author& author,
                    const std::string& what);
  void note_stranger(const Buffer& buffer, u64 address, const Author& author);
  void end_kernel(unsigned core);
  // caches.cpp
  void check_l0(const trace::Instruction& one, const trace::CoreAccess& access);
  void check_fetch(unsigned core, const Author& author);
  void note_foreign_write(u64 address, u64 bytes, const Author& author);
  void note_system(const trace::Instruction& one);
  // instructions.cpp
  void check_instruction(const trace::Issue& one);

  tile::Tile& tile_;
  NodeId node_;
  CheckSet set_;
  std::shared_ptr<const Layout> layout_;
  Shadow l1_;
  std::array<Shadow, kCores> ldm_;
  std::array<u16, tensix::kDstRows> dst_{};                     // columns
  std::array<std::array<u16, 2 * tensix::kSrcRows>, 2> src_{};  // likewise, by bank
  std::array<u32, tensix::kLRegs + 1> lreg_{};                  // lanes
  std::array<u8, kThreads * tensix::kGprs> gpr_{};
  std::array<bool, kThreads * tensix::kThreadConfigWords> thread_config_{};  // written
  std::array<CoreView, kCores> cores_;
  /// Rows of Dst that were cleared, and nothing was computed in since; and what is packed of Dst.
  struct Cleared {
    std::array<bool, tensix::kDstRows> rows{};
    Author last;             // who has cleared some last
    Author computed;         // who has written anything else last
    Author computed_pusher;  // the core that has pushed it, there
    Author last_pusher;
    u32 computed_row = 0;
    u32 first_packed = tensix::kDstRows;
    bool any_packed = false;  // of what was computed
  };
  Cleared cleared_;
  /// Where the latest words of a thread were pushed from, by entry.
  struct Pushed {
    static constexpr u64 kKept = 256;
    struct From {
      u64 number = 0;
      Agent core = Agent::Host;
      u32 pc = 0;
    };
    std::array<From, kKept> last{};
  };
  std::array<std::array<Pushed, 2>, kThreads> pushed_{};
  const trace::Issue* issue_ = nullptr;  // of which is told now
  /// Who has pushed pages of each circular buffer last, and from where.
  struct Producer {
    Author author;
    std::string from;  // of a thread: "TRISC2 pc 0x8a10"
  };
  std::array<Producer, noc::kStreams> producers_{};
  Run packed_;
  std::array<Run, 2> unpacked_;
  std::array<Run, kCores> stored_;
  /// A core's first store into a buffer, until it is known whether that is the core's business.
  struct Stranger {
    u32 buffer = 0;
    u64 address = 0;
    Author author;
  };
  std::array<std::vector<Stranger>, kCores> strangers_;
  std::array<u8, noc::kStreams> users_{};  // a bit per core: who has pushed or taken pages
  // Before the instruction that is issued.
  std::array<u8, tensix::kMutexes> mutexes_{};
  struct Banks {
    std::array<std::array<tensix::SrcOwner, 2>, 2> owner{};
    std::array<u32, 2> matrix{};
  };
  static Banks banks_of(const tensix::State& state);
  Banks banks_;
  bool moves_ = false;  // the mover was used: its writes are told of to nobody
};

/// Of a DRAM bank.
class BankChecker final : public trace::Observer {
 public:
  BankChecker(FaultPort& faults, std::string name) : faults_(faults), name_(std::move(name)) {}
  void arrived(const trace::Arrival& one) override;
  void host_wrote(u64 address, std::span<const u8> bytes, Cycle now) override;

 private:
  static constexpr u64 kBlock = 64;
  void written(u64 address, u64 bytes);

  FaultPort& faults_;
  std::string name_;
  std::vector<bool> blocks_;
};

}  // namespace bhemu::check
