// A profile in words: shares by core, thread, unit and buffer over all tiles that ran a kernel, and
// one sentence of verdict.
#pragma once

#include "base/json.hpp"
#include "debug/profile/profile.hpp"
#include "device/device.hpp"
#include "host/report/report.hpp"

namespace bhemu::debug {

/// A wait of one core or thread, of all tiles together.
struct RoleWait {
  WaitOf wait;
  u32 at = 0;  // pc or instruction word
  u64 cycles = 0;
  std::string where;  // call chain, as reports print it
  std::string place;  // the user's line in it
};

/// One core or thread over all tiles.
struct RoleUse {
  Agent agent = Agent::Host;
  u64 tiles = 0;
  u64 instructions = 0;
  std::array<u64, kSpents> cycles{};
  std::vector<RoleWait> waits;  // the longest first

  u64 total() const;
  u64 waited() const;
  double share(u64 part) const;  // of total(), 0 to 1
};

struct RoleBuffer {
  u32 index = 0;
  u64 tiles = 0;
  u32 pages = 0;  // places; 0: not known
  u64 pushed = 0;
  u64 popped = 0;
  double average = 0;  // pages in it
  double empty = 0;    // share of the time
  double full = 0;     // the same; 0 when the places are not known
  u32 most = 0;
  std::vector<Agent> producers;
  std::vector<Agent> consumers;
};

struct RoleUnit {
  std::string name;
  u64 cycles = 0;
  u64 instructions = 0;
  double share = 0;
  u32 code = 0;  // BusyUnit, or the opcode
};

struct ProfileSummary {
  Cycle begin = 0;
  Cycle end = 0;
  u64 tiles = 0;  // that ran a kernel
  std::vector<RoleUse> roles;
  std::vector<RoleUnit> units;    // in use
  std::vector<RoleUnit> opcodes;  // the longest at work first
  std::vector<RoleBuffer> buffers;
  std::array<std::array<Traffic, 6>, kNocs> traffic{};  // by NoC and trace::PacketKind
  std::string verdict;
  std::string warning;  // what these figures are not
};

ProfileSummary summary_of(const Profile& profile, Device& device, const host::CodeMap& code);

std::string profile_text(const ProfileSummary& summary);
/// One object; `profile` adds each tile by itself.
Json profile_json(const ProfileSummary& summary, const Profile& profile);

/// "71 %", "<1 %".
std::string percent(double share);
std::string_view kind_name(unsigned packet_kind);  // "read" ...

}  // namespace bhemu::debug
