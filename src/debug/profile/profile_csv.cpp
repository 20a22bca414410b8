// Documents: olofj/tt-metal-sfpu, tt_metal/impl/profiler/profiler.cpp (writeCSVHeader,
// dumpDeviceResultsToCSV) and tools/tracy/process_device_log.py (import_device_profile_log), which
// wants fifteen columns and finds zones by their names (device_post_proc_config.py).
#include "debug/profile/profile_csv.hpp"

#include <fmt/format.h>

namespace bhemu::debug {
namespace {

constexpr unsigned kMegahertz = 1350;  // the AI clock of a Blackhole card
constexpr unsigned kRunHostId = 1024;  // 0 would be a run that has no program
struct Zone {
  Agent agent;
  const char* risc;
  const char* zone;
};
constexpr Zone kZones[] = {{Agent::Brisc, "BRISC", "BRISC"},
                           {Agent::Ncrisc, "NCRISC", "NCRISC"},
                           {Agent::Trisc0, "TRISC_0", "TRISC"},
                           {Agent::Trisc1, "TRISC_1", "TRISC"},
                           {Agent::Trisc2, "TRISC_2", "TRISC"}};

}  // namespace

std::string profile_csv(const Profile& profile, u64 tiles) {
  std::string text = fmt::format("ARCH: blackhole, CHIP_FREQ[MHz]: {}, Max Compute Cores: {}\n",
                                 kMegahertz, tiles);
  text +=
      "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "
      "run host ID, trace id, trace id counter, zone name, type, source line, source file, meta "
      "data\n";
  for (const TileUse& tile : profile.tiles)
    for (const Zone& zone : kZones) {
      const auto found = tile.lanes.find(zone.agent);
      if (found == tile.lanes.end() || found->second.first == kNever) continue;
      const Lane& lane = found->second;
      const auto mark = [&](unsigned id, Cycle at, const char* part, const char* type) {
        text += fmt::format("0,{},{},{},{},{},0,{},,,{}-{},{},0,,\n", tile.tile.x, tile.tile.y,
                            zone.risc, id, at, kRunHostId, zone.zone, part, type);
      };
      mark(1, lane.awake, "FW", "ZONE_START");
      mark(2, lane.first, "KERNEL", "ZONE_START");
      mark(2, lane.last + 1, "KERNEL", "ZONE_END");
      mark(1, lane.asleep, "FW", "ZONE_END");
    }
  return text;
}

}  // namespace bhemu::debug
