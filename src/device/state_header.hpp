// What stands before every saved state of a device: of what board and timing it is, by which
// version of the format, and a checksum of the rest.
#pragma once

#include <span>

#include "base/archive.hpp"
#include "base/types.hpp"

namespace bhemu {

struct DeviceOptions;

struct StateHeader {
  /// A snapshot holds all of each part, an image what differs from a part just made.
  enum class Kind : u64 { Snapshot, Image };

  char magic[8] = {};
  u32 version = 0;
  u32 model = 0;
  u32 harvested_dram = 0;
  u32 harvested_columns = 0;
  u32 timing = 0;
  u32 nodes = 0;
  Kind kind = Kind::Snapshot;
  u64 options = 0;   // of an image: hash_of those of its device
  u64 bytes = 0;     // after the header
  u64 checksum = 0;  // of those bytes

  /// Of the options that decide in which order and form a device does what it does (parking, short
  /// cuts, checks, severities, ...), though its guest sees nothing of most of them.
  static u64 hash_of(const DeviceOptions& options);
  static StateHeader of(const DeviceOptions& options, unsigned nodes, Kind kind);
  /// Throws ArchiveError when the bytes are too few for one.
  static StateHeader read(std::span<const u8> bytes);
  void describe(std::span<const u8> body);
  /// Throws ArchiveError, which says what differs: nothing of such a state fits into a device that
  /// wants `wanted`.
  void check_fits(const StateHeader& wanted) const;
  /// Throws ArchiveError for other bytes than described.
  void check_body(std::span<const u8> body) const;
};

}  // namespace bhemu
