// What the threads of a tile have done with tiles of data, and what a launch found that others had
// left: how many rows of a bank were filled and taken, of Dst computed and packed, settings and
// semaphores of an earlier launch, recordings over recordings. None of it breaks a rule; of a run
// that has failed, and is repeated, it says where two threads disagree.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "device/device.hpp"
#include "host/report/report.hpp"
#include "tensix/state.hpp"
#include "watch/accesses.hpp"

namespace bhemu::watch {

struct Remark {
  std::string sentence;  // with a space in front and a full stop
  std::string remedy;    // an order without a full stop
  bool first = false;    // it explains the sentence before it
};

class Tallies final : public Accesses {
 public:
  Tallies(Device& device, tile::Tile& tile, NodeId node);

  void moved(const trace::BankMove& one) override { moves_.push_back(one); }
  void pushed(const trace::Push& one) override;
  void changed(const trace::ObjectChange& one) override;
  void host_wrote(u64 address, std::span<const u8> bytes, Cycle now) override;

  /// Of a run that waits for ever, and of one with a wrong result.
  std::vector<Remark> of_hang(const host::CodeMap& code, const std::string& cause) const;
  std::vector<Remark> of_result(const host::CodeMap& code) const;
  /// What explains a rule that was broken: not what comes of it.
  std::vector<Remark> of_rule(const host::CodeMap& code) const;

 protected:
  void accessed(const Access& access, const Actor& actor) override;
  void issuing(const trace::Issue& one, Actor& actor) override;

 private:
  using Rows = u64;  // of a bank

  struct Bank {
    Rows filled = 0;
    Rows cleared = 0;
    Rows taken = 0;
  };
  struct Source {
    std::array<Bank, 2> bank;
    Actor fill;
    Actor take;
    u32 handed = 0;
    u32 released = 0;
    u32 handed_by_then = 0;    // when a page was given back last
    u32 released_by_then = 0;  // when a tile was handed on last
    u32 compared = 0;          // banks that were filled and taken
    Rows beyond = 0;           // taken and not filled, in any of them
    Rows less = 0;             // filled and not taken, in all of them
    Rows filled = 0;           // in any
  };
  enum class Row : u8 { Unknown, Cleared, Computed, Packed };
  struct Packing {  // the tile that is packed
    std::set<u32> rows;
    std::set<u32> cleared;
    std::set<u32> of_vectors;  // stored last by the vector unit
  };
  /// Rows that were computed as 32 bits and packed as 16, or the other way round.
  struct Width {
    Actor computer;
    Actor packer;
    bool computed_wide = false;
  };
  struct Recording {
    Actor by;
    u32 start = 0;
    u32 length = 0;
  };
  struct Setting {   // a byte of a word
    u8 written = 0;  // bits, in this launch
    u8 before = 0;   // in those before
    // By bit, who wrote it last, in this launch or the last one that did; and in those before.
    std::array<u32, 8> by{};
    std::array<u32, 8> by_before{};
  };
  struct Stale {
    tensix::Touch touch;
    u32 value = 0;
    Actor reader;
    Actor setter;
  };

  void begin_launch();
  void note_source(const trace::Issue& one, const tensix::Touch& touch, const Actor& actor);
  void note_dst(const trace::Issue& one, const tensix::Touch& touch, const Actor& actor);
  void note_setting(const trace::Issue& one, const tensix::Touch& touch, const Actor& actor);
  void note_replay(unsigned thread, u32 word, const Actor& actor);
  void note_posts(u32 word, const Actor& actor);
  void note_reset(u32 word, const Actor& actor);
  void note_width(const trace::Issue& one, u32 row, const Actor& actor);
  void end_packing(const Actor& actor);
  void hand_over(const trace::BankMove& move);
  static u32 setting_key(tensix::Space space, u32 word, u32 byte);

  std::string at(const Actor& actor, const host::CodeMap& code) const;
  std::string who(const Actor& actor, const host::CodeMap& code) const;
  void tell_leftovers(const host::CodeMap& code, std::vector<Remark>& found) const;
  void tell_settings(const host::CodeMap& code, std::vector<Remark>& found) const;
  void tell_recordings(const host::CodeMap& code, std::vector<Remark>& found) const;
  void tell_faces(const host::CodeMap& code, std::vector<Remark>& found) const;
  void tell_dst(const host::CodeMap& code, std::vector<Remark>& found) const;
  void tell_resets(const host::CodeMap& code, const std::string& cause,
                   std::vector<Remark>& found) const;
  void tell_counts(const host::CodeMap& code, std::vector<Remark>& found) const;
  void tell_releases(const host::CodeMap& code, std::vector<Remark>& found) const;
  void tell_width(const host::CodeMap& code, std::vector<Remark>& found) const;

  Device& device_;
  tile::Tile& tile_;
  unsigned launch_ = 0;  // counted from 1; 0: none yet
  std::vector<trace::BankMove> moves_;
  std::array<Source, 2> source_;

  std::array<Row, tensix::kDstRows> dst_{};
  Packing packing_;
  std::set<u32> packed_rows_;  // of the last tile that was packed with rows that are only cleared
  std::set<u32> cleared_rows_;
  std::array<bool, tensix::kDstRows> wide_{};     // computed as 32 bits
  std::array<bool, tensix::kDstRows> vectors_{};  // stored by the vector unit since
  std::optional<Width> width_;
  std::set<u32> worked_rows_;  // of the last tile on a part of which the vector unit has worked
  std::set<u32> whole_rows_;   // that tile
  Actor storer_;
  std::set<u32> lost_;  // computed, cleared and not looked at in between
  Actor packer_;
  Actor clearer_;
  Actor computer_;
  std::optional<Actor> accumulator_;
  bool pools_ = false;

  u32 number_of(const Actor& setter);
  std::map<u32, Setting> settings_;
  std::vector<Actor> setters_;
  std::map<std::tuple<Agent, u32, u32>, u32> setter_numbers_;
  tensix::CfgState first_settings_{};  // when the first launch began
  std::vector<Stale> stale_;
  std::map<u32, Actor> unset_modes_;  // address modes that were used and never set

  std::vector<Recording> recordings_;
  std::array<std::array<i32, 32>, kThreads> slots_{};  // 1 + number of the recording
  struct Mixture {
    Actor player;
    u32 first = 0;  // recordings
    u32 second = 0;
  };
  std::optional<Mixture> mixed_;

  std::array<u8, tensix::kSemaphores> first_semaphores_{};
  std::array<std::optional<Actor>, tensix::kSemaphores> posters_{};
  struct Reset {  // a SEMINIT of a semaphore that was not 0
    u32 before = 0;
    Actor by;
    std::optional<Actor> poster;
  };
  std::array<u32, tensix::kSemaphores> value_before_init_{};
  std::array<std::optional<Reset>, tensix::kSemaphores> resets_{};
  std::array<u32, kThreads> posts_{};  // of any semaphore, by thread, in this launch
  u32 pages_ = 0;                      // given back by thread 0
  struct Left {
    u32 semaphore = 0;
    u32 value = 0;
    std::optional<Actor> by;
  };
  std::vector<Left> left_;
  std::vector<std::string> left_banks_;
};

class TalliesOfDevice {
 public:
  explicit TalliesOfDevice(Device& device);
  ~TalliesOfDevice();
  TalliesOfDevice(const TalliesOfDevice&) = delete;
  TalliesOfDevice& operator=(const TalliesOfDevice&) = delete;

  const Tallies* of(NodeId node) const { return node < tallies_.size() ? tallies_[node] : nullptr; }

 private:
  Device& device_;
  unsigned id_ = 0;
  std::vector<const Tallies*> tallies_;  // they belong to the device
};

}  // namespace bhemu::watch
