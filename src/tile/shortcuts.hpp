// Ways of a tile to be faster. Each can be turned off by itself; results do not depend on them.
#pragma once

namespace bhemu::tile {

struct Shortcuts {
  bool bursts = true;      // a thread that is alone executes many instructions in one go
  bool long_turns = true;  // a core that is alone runs on over several quanta
  bool whole_rows =
      true;  // unpackers and packer move whole rows by what they have worked out before
  bool known_turns = true;  // the coprocessor executes turns that it has met before from a list
};

}  // namespace bhemu::tile
