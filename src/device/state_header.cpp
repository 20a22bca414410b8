#include "device/state_header.hpp"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "device/device.hpp"
#include "mem/mapping.hpp"

namespace bhemu {
namespace {

constexpr char kMagic[8] = {'b', 'h', 'e', 'm', 'u', 's', 'n', 'p'};
constexpr u32 kVersion = 12;

template <class T>
void add(u64& hash, const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  hash = hash_bytes(hash, &value, sizeof value);
}

}  // namespace

u64 StateHeader::hash_of(const DeviceOptions& options) {
  u64 hash = 0;
  add(hash, options.parking);
  add(hash, options.full);
  add(hash, options.shortcuts);
  add(hash, options.effects);
  add(hash, options.seed);
  add(hash, options.faults.severity);
  for (unsigned group = 0; group < kCheckGroups; ++group)
    add(hash, options.checks.has(static_cast<CheckGroup>(group)));
  add(hash, options.checks.silicon_caches());
  return hash;
}

StateHeader StateHeader::of(const DeviceOptions& options, unsigned nodes, Kind kind) {
  StateHeader header;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.model = static_cast<u32>(options.board.model) | static_cast<u32>(options.board.bundle)
                                                             << 8;
  header.harvested_dram = options.board.harvested_dram;
  header.harvested_columns = options.board.harvested_columns;
  header.timing = static_cast<u32>(options.timing);
  header.nodes = nodes;
  header.kind = kind;
  if (kind == Kind::Image) header.options = hash_of(options);
  return header;
}

StateHeader StateHeader::read(std::span<const u8> bytes) {
  StateHeader header;
  if (bytes.size() < sizeof header) throw ArchiveError("the snapshot is cut short");
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

void StateHeader::describe(std::span<const u8> body) {
  bytes = body.size();
  checksum = hash_bytes(0, body.data(), body.size());
}

void StateHeader::check_fits(const StateHeader& wanted) const {
  if (std::memcmp(magic, wanted.magic, sizeof kMagic) != 0)
    throw ArchiveError("this is no snapshot of bhemu");
  if (version != wanted.version)
    throw ArchiveError(fmt::format("the snapshot has version {}, this bhemu reads version {}",
                                   version, wanted.version));
  if (kind != wanted.kind)
    throw ArchiveError(kind == Kind::Image ? "this is an image of a device and no snapshot"
                                           : "this is a snapshot and no image of a device");
  if (model != wanted.model || harvested_dram != wanted.harvested_dram ||
      harvested_columns != wanted.harvested_columns || nodes != wanted.nodes)
    throw ArchiveError("the snapshot is of another board or other harvesting");
  if (timing != wanted.timing) throw ArchiveError("the snapshot was made in another timing");
}

void StateHeader::check_body(std::span<const u8> body) const {
  if (bytes != body.size()) throw ArchiveError("the snapshot is cut short");
  if (checksum != hash_bytes(0, body.data(), body.size()))
    throw ArchiveError("the snapshot is damaged: its checksum is wrong");
}

}  // namespace bhemu
