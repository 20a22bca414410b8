// gdb's other end: lets gdb stop time on a device, look, change, go on, and go back. Each of the
// chosen Tensix tiles is an inferior of gdb's, each of its cores a thread "(1,2) trisc1".
//
// A stop is a point between two instructions of a core (or an epoch edge), in whose midst the
// whole device waits for gdb: nothing of the chip knows of it, so a run with gdb has the cycles and
// the hash of a run without. All cores go on when one does, also when gdb steps one.
//
// Backwards is forwards from a snapshot (history.hpp) to the point before.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "gdb/breakpoints.hpp"
#include "gdb/history.hpp"
#include "gdb/link.hpp"
#include "host/report/report.hpp"
#include "host/settings/settings.hpp"
#include "tile/onlooker.hpp"
#include "tile/tile.hpp"
#include "watch/watchpoint.hpp"
#include "watch/writers.hpp"

namespace bhemu::gdb {

/// An ELF whose code linked at `link_base` runs from `run_base`.
struct Image {
  CoreId core = CoreId::Brisc;
  std::optional<Coord> tile;  // none: on all
  std::string path;
  u32 run_base = 0;
  u32 link_base = 0;
};

struct ServerOptions {
  host::GdbSettings settings;
  host::SettingStyle style = host::SettingStyle::Option;
  std::vector<Coord> tiles;                 // Tensix tiles, unless the settings name some
  bool stops_at_standstill = true;          // a device at rest is a hang, not a pause
  std::function<host::CodeMap()> code;      // that is known at the moment
  std::function<std::string()> standstill;  // the report of where everything stands
  std::function<bool()> interrupted;        // the process is asked to end
};

std::vector<Image> images_of(const host::CodeMap& code);

class Server final : public Attendant, public tile::Onlooker {
 public:
  struct OnlyReplies {};
  static constexpr OnlyReplies kOnlyReplies{};

  /// Listens, and attends `device`, which must have one host thread. The first run waits for gdb.
  /// Throws InputError.
  Server(Device& device, ServerOptions options);
  /// For tests: attends nothing, and nobody is waited for.
  Server(Device& device, ServerOptions options, OnlyReplies);
  ~Server() override;

  const std::string& address() const { return link_.address(); }
  /// gdb, or the user, wants the program to end.
  bool killed() const { return killed_; }
  /// Tells gdb that the program has ended, with this exit status.
  void finish(int status);
  /// Another device takes the place of the one that was attended (a reset of the card).
  void move_to(Device& device);

  void at_edge() override;
  bool at_end(const RunResult& result) override;
  void host_acts() override;
  void before_instruction(tile::Tile& tile, unsigned core) override;
  void before_l1_write(tile::Tile& tile, u32 address, u32 bytes, const Author& author) override;

  /// The reply to a packet of gdb's while the device stands; empty where the packet is unknown, as
  /// the protocol wants it; none when the device is to go on.
  std::optional<std::string> reply_to(std::string_view packet);
  /// monitor WORDS
  std::string monitor(std::string_view command);

 private:
  struct Place {
    unsigned tile = 0;  // of tiles_
    unsigned core = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct Member {
    Coord coord;
    NodeId node = kNoNode;
    tile::Tile* tile = nullptr;
    Breakpoints breakpoints;
    std::array<u64, kCores> hit{};  // instructions before that whose breakpoint was told, plus one
  };
  enum class Why : u8 { Attached, Break, Watch, Step, Interrupt, Standstill, Fault, Begin };
  struct Stop {
    Why why = Why::Attached;
    Place place;
    u32 address = 0;
    WatchKind kind = WatchKind::Write;
  };
  /// A watched place was, or is going to be, touched: told before the next instruction.
  struct Touched {
    Stop stop;
    bool by_core = false;  // in its instruction `count`; void if that had to wait
    u64 count = 0;
    std::vector<u8> before;  // of the watched bytes, when a change is to be told
    u32 address = 0;
    std::string author;
  };
  enum class Mode : u8 {
    Detached,  // nobody looks
    Forward,
    Abandoning,  // what runs is going to be undone at the edge
    Again,       // the past, towards goal_
  };
  /// How far a core is.
  struct Point {
    Place place;
    u64 count = 0;    // instructions it has retired
    Cycle edge = 0;   // the first epoch edge that is not before it
    Cycle cycle = 0;  // not before this one
  };
  struct Goal {
    enum class Kind : u8 {
      Point,    // a point of the past
      Collect,  // the present, to count what would have stopped on the way
      Hit,      // the hit of that number
    };
    Kind kind = Kind::Point;
    std::size_t moment = 0;
    Point point;
    u64 hit = 0;
  };
  /// What the cores do until the next stop.
  struct Stepping {
    Place place;
    u64 count = 0;           // instructions retired before
    u32 begin = 0, end = 0;  // vCont;r: until the pc is outside
    bool alone = false;      // gdb believes that nobody else moves
  };

  // server.cpp
  void adopt(Device& device);
  void wait_for_client();
  void converse(const Stop& stop);
  bool hear();
  void detach();
  void arm();
  bool is_armed() const;
  void serve_edge();
  void tell(const std::string& body);
  void print(const std::string& text);
  std::string stop_text(const Stop& stop) const;
  const Member* member_of(const tile::Tile& tile, unsigned* index) const;
  std::vector<u64> counts() const;
  bool take_interrupt();
  const riscv::CoreState& state_of(Place place) const;
  std::size_t flat(Place place) const { return place.tile * kCores + place.core; }
  // stops.cpp
  bool is_step_over(Place place, const riscv::CoreState& state) const;
  bool hits_breakpoint(Place place, const riscv::CoreState& state);
  void foresee(Place place, const riscv::CoreState& state);
  std::optional<Stop> touched_by_now();
  bool at_stop(const Stop& stop);
  // past.cpp
  std::optional<std::string> go_back(bool one);
  void begin_again();
  bool at_goal(Place place, const riscv::CoreState& state);
  void end_collecting();
  void go_to_begin();
  void keep_moment();
  Point point_of_stop() const;
  // protocol.cpp
  std::string answer_query(std::string_view packet);
  std::string transfer(std::string_view packet);
  std::string answer_set(std::string_view packet);
  std::string threads_xml() const;
  std::string thread_list() const;
  std::string thread_id(Place place) const;
  std::optional<Place> place_of(class Fields& fields, Place otherwise) const;
  std::string select_thread(std::string_view arguments);
  std::string read_registers();
  std::string write_registers(std::string_view arguments);
  std::string read_one(std::string_view arguments);
  std::string write_one(std::string_view arguments);
  std::string write_wide(u32 number, std::string_view digits);
  std::string read_memory(std::string_view arguments);
  std::string write_memory(std::string_view arguments, bool binary);
  std::string change_breakpoint(std::string_view packet);
  std::optional<std::string> resume(std::string_view actions);
  std::optional<std::string> go_on(std::optional<Stepping> stepping);
  std::optional<std::string> answer_other(std::string_view packet);
  std::string attach(std::string_view arguments);
  riscv::CoreState& changeable(Place place);
  // monitor.cpp
  std::string monitor_registers(const std::vector<std::string>& words);
  std::string monitor_why(const std::vector<std::string>& words);
  std::string monitor_watch(const std::vector<std::string>& words);
  std::string watched();
  std::string monitor_buffers();
  std::string monitor_sync() const;
  std::string monitor_cores() const;
  std::string core_text(Place place) const;
  // symbols.cpp
  std::string symbol_lines() const;
  host::CodeMap known_code() const;
  void write_script() const;

  Device* device_;
  ServerOptions options_;
  Link link_;
  std::vector<Member> tiles_;
  std::map<NodeId, unsigned> index_;
  Mode mode_ = Mode::Detached;
  bool greeted_ = false;  // somebody was there once
  bool killed_ = false;
  unsigned ended_ = 0;  // so many of the first inferiors, in gdb's eyes
  bool no_ack_ = false;
  bool multiprocess_ = false;
  bool conversing_ = false;
  bool resumed_ = false;
  u64 edges_ = 0;
  std::string last_sent_;
  bool changed_ = false;    // gdb has written something since the last stop
  bool went_back_ = false;  // since the last stop
  bool rouse_ = false;      // parked cores are to be looked at
  Stop stop_;
  Place general_;  // of reads and writes
  Place control_;  // of steps
  std::optional<Stepping> stepping_;
  std::optional<Touched> touched_;
  std::unique_ptr<watch::WritersOfDevice> writers_;  // none until somebody asks for it
  std::unique_ptr<watch::Watchpoints> watchpoints_;  // of `monitor watch`
  tile::Tile* inside_ = nullptr;                     // the stop is in the midst of its turn
  Place before_;                                     // whose instruction comes next there
  History history_;
  Goal goal_;
  u64 hits_ = 0;      // since the moment that is run again
  u64 last_hit_ = 0;  // of them, before the present; 0: none
  Point present_;     // when the way back began
};

}  // namespace bhemu::gdb
