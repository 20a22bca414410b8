// What is wrong with a launch that somebody has written to a tile by hand, judged from what L1
// holds: the launch message, what it points at, and the circular buffers that it describes.
// Software whose launch messages have another layout than ours (mailboxes.hpp) is not judged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/report/report.hpp"

namespace bhemu::host {

struct LaunchMistake {
  enum class Kind : u8 {
    EmptyMessage,    // the slot that the firmware looks at enables no core
    NoKernel,        // a kernel is to begin where there is no code
    BufferOverCode,  // a circular buffer lies on kernels or their arguments
    BufferSize,      // a circular buffer without room or with pages of no size
    BuffersOverlap,  // two circular buffers share a part of their places, and not all of it
    OtherSlot,       // the same, and another slot has a message that nobody has taken
    NotEnabled,      // a core has a kernel and is not told to run it
  };
  Kind kind = Kind::EmptyMessage;
  std::optional<CoreId> core;
  std::optional<u32> buffer;
  std::string text;    // a clause: "the launch message of (1, 2) ..."
  std::string remedy;  // an order without a full stop
  /// Nothing good can come of it. Else it may be meant, and is told only when something fails.
  bool sure() const {
    return kind == Kind::EmptyMessage || kind == Kind::OtherSlot || kind == Kind::NoKernel ||
           kind == Kind::BufferOverCode;
  }
};

/// Of the message that the firmware of the tile looks at now.
std::vector<LaunchMistake> mistakes_of_launch(Device& device, Coord tile);

/// Where the cores that the message enables find their arguments: up to what lies behind them.
struct ArgumentPlace {
  CoreId core;
  u32 begin = 0;
  u32 end = 0;
};
std::vector<ArgumentPlace> arguments_of_launch(Device& device, Coord tile);

/// How the launch, or the lack of any code, explains that a core or thread has gone astray.
std::optional<LaunchMistake> launch_behind(Device& device, const Fault& fault, Coord tile);

/// A core of the tile is in code that the launch message gives to another one's kernel.
std::optional<LaunchMistake> kernel_run_into(Device& device, Coord tile);

/// The circular buffer is not one that the launch message has.
std::optional<LaunchMistake> buffer_not_launched(Device& device, Coord tile, u32 index);

}  // namespace bhemu::host
