// Where things are in CSM: the firmware's choice; clients follow the pointers in scratch RAM.
#pragma once

#include "arc/arc.hpp"

namespace bhemu::arc {

inline constexpr u32 kTelemetryTable = kCsmBase + 0x1000;
inline constexpr u32 kQueueControl = kCsmBase + 0x2000;
inline constexpr u32 kQueues = kCsmBase + 0x2020;
inline constexpr u32 kQueueCount = 4;
inline constexpr u32 kQueueEntries = 4;
inline constexpr u32 kQueueHeaderBytes = 32;
inline constexpr u32 kEntryBytes = 32;
inline constexpr u32 kQueueStride = kQueueHeaderBytes + 2 * kQueueEntries * kEntryBytes;

inline constexpr u32 kFanSpeed = 40;  // percent, unless it is forced

}  // namespace bhemu::arc
