// Places of a tile as the race detector names them.
#pragma once

#include <vector>

#include "race/detector.hpp"
#include "tensix/footprint/footprint.hpp"
#include "trace/observer.hpp"

namespace bhemu::hazard {

/// The fields of a configuration word (of both banks, counted through) that a mask touches, as
/// runs of the detector's indices. A word without named fields is a place of its own.
std::vector<race::Location> config_fields(u32 word, u32 mask);
void add_config_fields(u32 word, u32 mask, std::vector<race::Location>& runs);

/// The same, each field for itself.
std::vector<race::Location> single_fields(const std::vector<race::Location>& runs);
/// Where a word (of both banks, counted through) has its only place.
u32 config_place(u32 word);
/// The word (of both banks, counted through) that a run of fields lies in.
u32 word_of_fields(const race::Location& run);
/// The bits of its word that a run of fields has; all of them where the word has no fields.
u32 mask_of_fields(const race::Location& run);

/// A register of a stream, as the detector counts those.
u32 stream_register(u32 address);

/// What an instruction touches, as far as order matters; appends. Not among them: what the gate
/// samples when it issues (address counters, ThreadConfig), and what has an order of its own.
void locations_of(const tensix::Touch& touch, std::vector<race::Location>& out);

/// Where a core's access goes to, and by which region of memory.
struct CorePlace {
  race::Region region = race::Region::Control;
  race::Location where;
  bool is_memory = false;  // or a register that is checked; else it only takes part in the order
};
/// Of L1 and all registers; none for local memory.
bool place_of(const trace::CoreAccess& access, unsigned core, CorePlace& place);

}  // namespace bhemu::hazard
