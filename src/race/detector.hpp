// The happens-before detector of a tile. It is fed with events (event.hpp) and keeps, for every
// component of the tile, a clock of what it knows; two accesses to the same thing, of which one
// changes it, are a finding when the second's clock does not know the first. What the emulation did
// in which cycle plays no part, so findings are the same however the run was scheduled.
//
// Documents: src/race/edges.def; how events come about, docs/RACES.md. Not modelled: Auto TTSync
// (shipped software leaves it off), values (two agents that write the same are reported).
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "race/event.hpp"
#include "race/finding.hpp"
#include "race/guard.hpp"
#include "race/locks.hpp"
#include "race/objects.hpp"
#include "race/shadow.hpp"
#include "race/sync_word.hpp"

namespace bhemu::race {

class Detector;

struct Settings {
  u16 tile = 0;
  Level level = Level::Custom;  // Documented: only what documents vouch for is order
  u64 memory_bytes = kL1Size;
  Place memory_place = Place::L1;  // by words of which agents signal each other: L1 of a tile, or a
                                   // bank of DRAM
  bool pack_condition_is_early = false;  // the chicken bit by which C3 means "Dst has been read"
  std::vector<Location> sync_words;      // of L1: agents signal by them
  std::vector<Epoch> wanted;             // second pass: actions whose sites must be kept
  std::vector<LockWord> locks;           // second pass: words of this tile
  /// Second pass: there are locks that are taken from other tiles. Then what is done to another
  /// tile or to DRAM under a lock is looked at as well.
  bool has_far_locks = false;
  /// What only the order of critical sections puts in order is not in order (guard.hpp): of the
  /// mutexes of the sync unit, and of `locks`, which are asked for then only.
  bool without_locks = false;
  std::vector<u64> racy;  // second pass: lines (Guard::key_of) of which all that is done is kept
  /// Second pass: words of which looks depend on who was first, with all that is done to them.
  std::vector<std::pair<u64, std::shared_ptr<const SyncWord::Changes>>> changes;
  const u8* memory = nullptr;  // as it is, for the values of those words; null: 0
  /// Who is fed the same events, each one first, and so knows already where actions came from.
  const Detector* sites = nullptr;
  std::size_t most_bytes = 64u << 20;  // of shadow; beyond, accesses are no longer recorded
};

class Detector {
 public:
  explicit Detector(const Settings& settings);

  void feed(const Event& event);
  void on(const event::Start& one);
  void on(const event::Hold& one);
  void on(const event::Load& one);
  void on(const event::Store& one);
  void on(const event::Amo& one);
  void on(const event::Use& one);
  void on(const event::Fence& one);
  void on(const event::Push& one);
  void on(const event::DoneCheck& one);
  void on(const event::Signal& one);
  void on(const event::Observe& one);
  void on(const event::AwaitThread& one);
  void on(const event::DataCache& one);
  void on(const event::InvalidateCode& one);
  void on(const event::Fetch& one);
  void on(const event::Return& one);
  void on(const event::Expand& one);
  void on(const event::Issue& one);
  void on(const event::StreamTest& one);
  void on(const event::Access& one);
  void on(const event::SrcTake& one);
  void on(const event::SrcGive& one);
  void on(const event::SrcPointers& one);
  void on(const event::Send& one);
  void on(const event::Request& one);
  void on(const event::Arrive& one);
  void on(const event::Counter& one);
  void on(const event::HostWrite& one);
  void on(const event::HostRead& one);

  /// A word that turned out to be one that agents signal by (spin loops, launch tables). What was
  /// written to it long before is known from the next pass on. `old`: what it held in front of the
  /// change that has shown it; null: it has not just changed.
  void mark_sync(u64 address, const u32* old = nullptr);
  bool is_sync(const Location& where) const;
  /// All of them, ascending addresses: Settings::sync_words of a second pass.
  std::vector<u64> sync_words() const;
  /// Settings::locks and Settings::changes of a second pass.
  std::vector<LockWord> locks() const { return book_.locks(); }
  std::vector<std::pair<u64, std::shared_ptr<const SyncWord::Changes>>> changes() const;

  // --- What a look at something can prove. Whoever follows a core knows what it has proved
  // (observe/follow.hpp) and says so by learn().
  void learn(unsigned core, const Clock& clock) {
    cores_[core].known.join(clock, cores_[core].joined);
  }
  /// Null: not one of the words that agents signal by.
  const SyncWord* sync_word(u64 address) const;
  /// What a core learns whom the word, or a copy of it, has let through as it was at a version.
  Clock known_by_word(unsigned core, const SyncWord& word, u32 version, u8 bytes,
                      const SyncWord::Passes& passes) const;
  /// The latest version of the word that the core cannot but see.
  u32 version_known(unsigned core, const SyncWord& word) const {
    return word.latest_known(cores_[core].known);
  }
  /// The same has been learned of the word itself, of these bytes of it.
  void note_proof(unsigned core, u64 address, u32 version, u8 bytes);
  /// A core has looked at what its atomic has found, and gone on for that reason.
  void note_taken(unsigned core, u64 address, u32 bits) {
    book_.proved(address / 4 * 4, core, bits);
  }
  /// The same of its atomic on a word of another tile, which is a lock and was found free.
  void take_far(unsigned core, LockId lock);
  /// It is the core's turn: the word has come to the number that it had drawn from another.
  void note_turn(unsigned core, u64 address, u64 drawn_from);
  /// A core loads under a lock: 1 + the version of the word; 0: it holds none, or nobody asks.
  u32 guarded_version(unsigned core, u64 address);
  const Guard::Word* guarded_word(u64 address) const;
  /// What is known when the counter has this value, of which all below are ruled out.
  Clock known_by_counter(const event::Counter& one);
  /// What is known when NOC_CMD_CTRL of the initiator has been found to be 0.
  Clock known_by_free_initiator(unsigned niu, unsigned buffer) const;
  /// How many have been posted (got) by now, and what was known by the count-th; null: too long
  /// ago, or not yet.
  u32 posts_of(Object object, u16 index, bool gets = false) const;
  /// Of how many posts and gets of a semaphore a core's next load of it is certain to come behind.
  struct Certain {
    u32 posts = 0;
    u32 gets = 0;
  };
  Certain certain_of_semaphore(unsigned core, unsigned index) const;
  const Clock* known_by_post(Object object, u16 index, u32 count, bool gets = false) const;
  /// A page counter was advanced by a packet or the host, who knew this.
  void publish(Object object, u16 index, u32 amount, const Clock& clock) {
    objects_[key_of(object, index)].publish(clock, amount);
  }
  /// A packet has had an effect here that is none on memory.
  void note_arrival(const Packet& packet) { note_packet(packet, packet.commit); }
  /// A page counter was not advanced but set.
  void set_anew(Object object, u16 index) { objects_.erase(key_of(object, index)); }
  /// What the host knows, which is the same for all tiles.
  Clock& host() { return host_; }

  /// Nothing more will come.
  void finish();
  /// In an order that depends on the findings only.
  std::vector<Finding> findings() const;
  /// The actions whose sites were not kept: Settings::wanted of a second pass.
  std::vector<Epoch> wanted() const;
  std::size_t bytes() const;
  bool is_full() const { return full_; }

 private:
  static constexpr unsigned kQueue = 4;     // stores that wait (MemoryOrdering.md)
  static constexpr unsigned kRetire = 8;    // loads that can be under way
  static constexpr unsigned kLongAgo = 64;  // instructions of a core (row 8)
  static constexpr unsigned kHistory = 64;  // sites kept of each component
  static constexpr unsigned kOps = 16;      // of a thread, whose doings can still be told of
  static constexpr unsigned kL0Lines = 4;
  static constexpr std::size_t kRecentWrites = 256;
  static constexpr std::size_t kOlderWrites = 64;
  static constexpr unsigned kUnitsOfPage = 8;  // of same_writes_

  struct PendingLoad {
    u64 step = 0;
    u32 time = 0;
    u8 reg = 0;
    Region region = Region::L1;
    bool grants = false;
    Clock clock;
  };
  struct QueuedStore {
    Location where;
    Region region = Region::L1;
    u32 time = 0;
  };
  struct CachedLine {
    u64 line = 0;
    std::array<Epoch, 4> written{};  // last write of each word when the line was filled
  };
  struct Sending {  // a core's store to CMD_CTRL
    unsigned niu = 0;
    u16 buffer = 0;
    u32 number = 0;  // of the request
    u32 time = 0;    // of the core's store
    Clock clock;     // what the store took along
    Epoch latch;
  };
  struct Core {
    Clock known;
    Clock::Joined joined;  // by `known`
    u32 time = 0;
    u32 emitted = 0;  // stores up to this time have left the queue
    std::deque<QueuedStore> queue;
    std::deque<PendingLoad> loads;
    std::array<u32, kRegions> last_store{};
    std::array<u32, kThreads> last_push{};
    std::array<u32, kThreads> last_push_id{};
    bool l0_enabled = false;
    std::deque<CachedLine> l0;
    Clock code;                                  // writes that its instruction cache has seen
    std::deque<std::pair<u32, u64>> gpr_stores;  // not long ago: time and step
    u32 gprs_written = 0;                        // stores to GPRs up to this time are long ago
    std::vector<Sending> sends;                  // whose requests have not been told of
    u32 returned = 0;                            // when its last kernel returned, and where
    Site returned_at;
  };
  struct SrcTest {
    u8 src = 0;
    u8 bank = 0;
    bool matrix = false;
    bool given = false;  // it was there already, and what its giver knew is granted
  };
  struct SemaphoreTest {
    u8 index = 0;
    bool on_zero = false;
    bool on_max = false;
  };
  struct Wait {
    bool latched = false;
    u16 block = 0;
    Clock grant;
    std::vector<SrcTest> banks;
    std::vector<SemaphoreTest> semaphores;
    std::vector<event::StreamTest> streams;
  };
  struct Op {
    u32 op = 0;
    Part part = Part::Gate;
    Clock clock;
    u32 pushed_at = 0;
  };
  struct Pushed {
    u32 id = 0;
    Clock clock;           // what the core knew
    u32 gprs_written = 0;  // Core::gprs_written
  };
  struct Thread {
    Clock known;
    Clock::Joined joined;  // by `known`
    u32 time = 0;
    std::array<Op, kOps> ops;
    std::array<u32, kParts> last_of_part{};
    Wait wait;
    std::array<std::deque<Pushed>, kCores> pushed;  // by core
    std::array<u32, 2> unpacks{};                   // UNPACRs issued, by unpacker
    u32 read_config = 0;   // the last RDCFG, until the scalar unit has had an instruction
    u32 gprs_written = 0;  // stores of the own core to GPRs that are there, by custom
  };
  struct SrcBank {
    Clock to_matrix;
    Clock to_unpack;
    Epoch given;          // when it changed hands last
    bool matrix = false;  // whose it is
  };
  struct Semaphore {
    u32 value = 0;
    u32 max = 15;
    ClockQueue posts;
    ClockQueue gets;
    Side last_post;
    Side last_get;
    ActionLog given;  // posts
    ActionLog taken;  // gets
  };
  struct Niu {
    u32 number = 0;
    std::array<u32, 64> counted{};          // what the counter will say when all is done
    std::array<u16, 16> outstanding_bad{};  // a multicast has made the id's counter drift
    Epoch split;                            // last request that hardware splits, its registers
    u16 split_buffer = 0;
  };
  struct NocClass {
    NocKind kind = NocKind::Write;
    u8 niu = 0;
    u8 tid = 0;
    u8 core = 0;
    u8 phase = 0;  // 0 source, 1 commit, 2 latch of an initiator
    u8 buffer = 0;
    u64 channel = 0;
    bool to_register = false;
    u32 last = 0;
    u32 reported = 0;   // as in flight at a kernel's end
    u32 last_time = 0;  // of the core's store that sent the last
    Clock clock;        // what their senders knew
    Site site;
  };
  struct Kept {  // where an action came from
    Site site;
    u32 pushed_at = 0;  // of a thread's instruction
    u32 time = 0;       // of the action
  };
  struct Track {  // what is remembered of a component's actions
    u32 kind = 0;
    u8 core = 0xFF;
    u64 channel = 0;
    NocKind noc = NocKind::Write;
    bool linked = false;
    bool to_register = false;
    std::vector<Kept> last;  // a ring once there are kHistory
    u8 next = 0;
  };
  struct Actor {
    Epoch self;
    const Clock* clock = nullptr;
    Site site;
    Mode mode = Mode::Read;
    u32 kind = 0;
    bool sync = false;
    bool same = false;  // it writes what is there already
    u32 pushed_at = 0;
    const u32* value = nullptr;                      // that a core's store writes
    u64 value_begin = 0;                             // from this address on
    const std::vector<Guard::Held>* held = nullptr;  // by the sender of a packet
  };
  struct RecentWrite {  // to a word that may turn out to be one that agents signal by
    u32 word = ~u32{0};
    u8 bytes = 0;
    bool has_old = false;
    u32 value = 0;
    u32 old = 0;  // what it held before
    Clock clock;
    Epoch by;
    u32 number = 0;   // of those in older_
    u32 earlier = 0;  // the write of this word before, by number; 0: none
  };
  /// Units that obey DBG_FEATURE_DISABLE.
  static constexpr std::array kFeatureParts = {Part::Fpu, Part::Sfpu, Part::Pack};
  static constexpr u32 key_of(Object object, u16 index) {
    return static_cast<u32>(object) << 16 | index;
  }

  // core.cpp
  Core& begin(const Site& site, u64 step);
  Clock snapshot(unsigned core, Region region) const;
  u32 loads_done(const Core& core, Region region) const;
  void settle(Core& core, u64 step);
  void grant(Core& core, PendingLoad load);
  u32 emitted_before(const Core& core, Region region, const Location& where) const;
  void queue_store(Core& core, const Location& where, Region region);
  void resolve(Core& core, PendingLoad& load);
  void check_l0(Core& core, const event::Load& one, const Actor& actor);
  void drain(Core& core);
  void drop_l0(Core& core, const Location& where);
  std::array<Epoch, 4> written_words(u64 line);
  u32 in_flight_at_end(unsigned core, const Core& state, const Site& site);

  // thread.cpp
  void join_push(Thread& thread, unsigned index, unsigned core, u32 push);
  void lift(Thread& thread, unsigned index);
  AtomicChange change_of(const event::Access& one) const;
  void acquire_word(Thread& thread, Op& op, const event::Access& one);
  void latch(Thread& thread, unsigned index, u32 word, u32 op);
  void latch_stallwait(Thread& thread, unsigned index, u32 word, u32 op);
  void execute_sync(Thread& thread, unsigned index, const event::Issue& one);
  void post(Semaphore& semaphore, const Clock& clock, const Side& by, unsigned index);
  void take(Semaphore& semaphore, const Clock& clock, const Side& by, unsigned index);
  void touch_semaphore(const Side& by, const Clock& clock, unsigned index, Mode mode,
                       bool limit = false);
  void take_mutex(Thread& thread, unsigned index, u32 mutex, Epoch self);
  void note_lock(const event::Access& one);
  bool comes_behind(const AtomicChange& change, const SyncWord& word, u32 before, u32 after) const;
  void lost(const Semaphore& semaphore, const Side& by, unsigned index, bool post);
  void spread_thread(unsigned thread);
  void spread_settled(const event::Issue& one, Part part);
  Op& op_of(Thread& thread, u32 op);
  Clock gate_clock(unsigned index) const;
  void report_release(const event::SrcGive& one, const Op& op, const SrcBank& bank);
  bool flip_is_known(const Clock& clock, u8 src, bool matrix) const;
  const Clock& given_with(const SrcTest& test) const;
  void test_bank(Wait& wait, const Clock& known, SrcTest test);

  // network.cpp
  void note_packet(const Packet& packet, Epoch epoch);
  Component class_of(const NocClass& wanted);
  static std::shared_ptr<Packet> packet_of(const event::Request& one, u32 number);
  void read_source(Actor actor, const event::Arrive& one);
  void change_word(const event::Arrive& one, Epoch self, u32 kind);
  Taker taker_of(const Packet& packet) const;
  Clock known_by_arrival(const Packet& packet, Epoch self) const;
  void raise_classes(Clock& clock, u8 phases, u32 kinds, int tid, unsigned niu, unsigned core,
                     u32 upto_time);
  void check_split(Niu& niu, const event::Request& one, const Side& by, const Clock& clock);
  void count_request(Niu& niu, const event::Request& one);
  Epoch enter(NocClass row, const Sending& send);
  Sending begin_send(const event::Send& one, NocClass row);
  void report_exit(const NocClass& row, Epoch last, Epoch returned, const Site& at);
  bool proves(const Niu& niu, unsigned index, u32 value) const;
  Clock answered(const event::Counter& one, Core& core, unsigned index);

  // exclusion.cpp
  bool is_lock(const Location& where) const;
  void use_locks(u64 address, Taker by, Epoch self, const Clock& clock, u32 before, u32 after);
  void leave_locks(u64 address, Taker by, const Clock& clock);
  bool holds_any(u64 address, Taker by) const;
  void let_go_far(const event::Request& one, unsigned core, const Clock& clock);
  std::vector<Guard::Held> held_by(const Actor& actor) const;
  void check_again(Guard::Line& line, const Guard::Past& one, Place place, u64 number);
  void check_guarded(const Actor& actor, const std::vector<Guard::Held>& held,
                     const Location& piece);
  void remember_line(Place place, u64 line);
  bool guarded_access(const Actor& actor, const Location& where);
  void leave_section(LockId lock, const Clock& clock);
  void note_guarded(const Location& where, const Clock& clock, const u32* value);

  // cache.cpp
  void note_fetch(unsigned index, const event::Fetch& one);
  void forget_fetches(unsigned index);
  void check_code(const Actor& actor, const Location& where);

  // check.cpp
  void access(const Actor& actor, const Location& where);
  void access_cell(const Actor& actor, Cell& cell, const Location& piece);
  void check_units_at_work(const Actor& actor, const Location& where);
  bool leaves_the_same(const Actor& actor, const Cell& cell, const Location& piece) const;
  void check_same_writes(const Actor& actor, const Location& where);
  void note_read(const Actor& actor, Cell& cell);
  bool in_order(const Actor& actor, Epoch before, bool was_write) const;
  bool was_written_long_ago(const Actor& actor, Epoch before) const;
  bool interlocked(const Actor& actor, Epoch before, Place place, bool was_write) const;
  bool is_clear(Epoch epoch) const;
  bool on_channel(const Actor& actor, Epoch before) const;
  EdgeId edge_of(Finding& finding, const Actor& actor) const;
  bool was_pushed_before(const Actor& actor, Epoch load) const;
  bool is_late_packet(const Actor& actor, Epoch before) const;
  bool has_heard_from(const Clock& clock, unsigned core, u32 after) const;
  const Track* later_on_channel(const Clock& clock, Epoch before) const;
  void report_pair(const Actor& actor, Epoch before, Mode before_mode, const Location& where);
  void report_sides(const Side& first, const Actor& actor, const Location& where);
  void report(Finding finding);
  void remember(Epoch epoch, const Kept& from, u32 kind);
  Track& track_of(Epoch epoch);
  const Track* find_track(Epoch epoch) const;
  const Detector& sites() const { return settings_.sites != nullptr ? *settings_.sites : *this; }
  Side side_of(Epoch epoch, Mode mode) const;
  u32 kind_of(Epoch epoch) const;
  u8 scope_of(Epoch a, Epoch b) const;
  int core_behind(Epoch epoch) const;
  int thread_behind(Epoch epoch) const;
  u32 value_of_word(u64 word) const;
  bool near_sync(const Location& where) const;
  bool is_sync_line(u64 line) const;
  struct Written {
    Epoch by;
    bool atomic = false;
    const u32* value = nullptr;  // of a core's store or atomic; null: memory says it
    AtomicChange change{};
    const OldWords* old = nullptr;
  };
  void note_write(const Location& where, const Clock& clock, const Written& written);
  void note_word(SyncWord& word, u8 bytes, u32 after, const Clock& clock, const Written& written);
  const RecentWrite* recent_write(u64 word) const;
  const RecentWrite* write_before(const RecentWrite& one) const;
  void note_recent(RecentWrite one);
  SyncWord history_of(const RecentWrite& last, const u32* first) const;
  u32 word_after(u64 word, u8 bytes, u64 begin, const u32* value) const;
  FindingKind judge_injected(const Finding& finding) const;

  Settings settings_;
  Shadow shadow_;
  std::array<Core, kCores> cores_;
  std::array<Thread, kThreads> threads_;
  std::array<std::array<SrcBank, 2>, 2> src_;        // by source, bank
  std::array<std::array<Epoch, 2>, 2> last_flip_{};  // by source; [1]: matrix unit's side
  event::SrcPointers pointers_;
  std::array<Semaphore, 8> semaphores_;
  std::array<Clock, 8> mutexes_;
  // By core and thread: what it had pushed when it let another core go.
  std::array<std::array<u32, kThreads>, kCores> settled_pushes_{};
  // Of configuration, that left it as it was; by field, in pages that are made when one is used.
  std::unordered_map<u64, std::array<Epoch, kUnitsOfPage>> same_writes_;
  std::unordered_map<u32, ClockQueue> objects_;  // mailboxes, page counters
  std::array<Niu, kNocs> nius_;
  std::vector<NocClass> classes_;  // component kFirstNoc + index
  Clock host_;
  u32 host_time_ = 0;
  u64 host_looked_at_ = ~u64{0};             // its last short read
  std::unordered_map<u64, SyncWord> words_;  // by address / 4
  LockBook book_;
  std::unique_ptr<Guard> guard_;            // null: nothing is asked of it
  std::vector<u8> sync_lines_;              // by address / 64: whether one of words_ is there
  std::unordered_set<u64> far_sync_lines_;  // likewise, behind what a tile has
  std::vector<RecentWrite> recent_;         // the last of each word
  std::vector<RecentWrite> older_;          // those that others have replaced, a ring by number
  u32 older_count_ = 0;
  static constexpr unsigned kCodeLine = 64;
  struct Fetched {  // of a line, by one core
    Site site;      // the last
    u32 time = 0;   // of the core's last action in front of it
    u16 words = 0;  // that have not been written since
  };
  std::vector<u8> code_lines_;             // by address / kCodeLine: the cores that have fetched
  std::unordered_map<u64, Fetched> code_;  // by that number * kCores + core
  bool feature_written_ = false;           // DBG_FEATURE_DISABLE, by a core
  std::unordered_map<u32, Track> tracks_;  // by tile and component
  std::vector<Track*> own_tracks_;         // those of this tile, by component
  std::unordered_map<u64, Kept> kept_;     // of Settings::wanted
  std::unordered_set<u64> wanted_;
  std::vector<Epoch> missing_;                          // whose sites were no longer known
  std::unordered_multimap<u64, std::size_t> index_of_;  // of findings
  std::vector<Finding> findings_;
  bool full_ = false;
};

}  // namespace bhemu::race
