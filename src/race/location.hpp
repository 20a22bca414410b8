// What can be touched: bytes of memory, and registers by the names the documents have for them.
#pragma once

#include <string>

#include "base/types.hpp"

namespace bhemu::race {

enum class Place : u8 {
  L1,            // bytes
  Dram,          // bytes of a bank, or of the host's memory
  Config,        // field: index of its row in config.def, plus kConfigBank for bank 1
  ThreadConfig,  // field: index of its row, plus thread * kConfigBank
  Dst,           // rows of 16 bits, 0..1023; an access of 32 bits touches two of them
  SrcA,          // bank * 64 + row
  SrcB,
  LReg,       // 0..16, then the condition code (17) and lane configuration (18..)
  Gpr,        // halves of words, which SETDMAREG writes: (thread * 64 + word) * 2
  Adc,        // address counters: unit * 3 + thread
  Rwc,        // thread
  MopConfig,  // thread * 9 + word
  Replay,     // thread * 32 + slot
  Initiator,  // NIU request initiators: (niu * 4 + buffer) * 32 + register
  Stream,     // stream * 1024 + register
  PushPort,   // thread: the FIFO behind the MOP expander, into which two cores can push
  Counter,    // NIU counters: niu * 64 + index
  Semaphore,  // of the sync unit: index * 2 is its value, index * 2 + 1 its limit
};
inline constexpr unsigned kPlaces = 18;
inline constexpr u32 kConfigBank = 1u << 12;
/// Config: words without named fields are behind the fields; a field that covers several bytes of
/// its word is a place for each of them, byte * kConfigByte, for RMWCIB writes single bytes.
inline constexpr u32 kUnnamedConfig = 0x800;
inline constexpr u32 kConfigByte = 1u << 14;
/// DBG_FEATURE_DISABLE, a register of the tile by which the coprocessor's units change what they
/// do.
inline constexpr u64 kFeatureDisable = kConfigBank - 2;
const char* name_of(Place place);

constexpr u32 place_bit(Place place) {
  return 1u << static_cast<unsigned>(place);
}
namespace place {
inline constexpr u32 Memory = place_bit(Place::L1) | place_bit(Place::Dram);
inline constexpr u32 AnyConfig = place_bit(Place::Config) | place_bit(Place::ThreadConfig);
inline constexpr u32 Src = place_bit(Place::SrcA) | place_bit(Place::SrcB);
inline constexpr u32 Any = (1u << kPlaces) - 1;
}  // namespace place

/// [begin, begin + size) of a place, in its own units.
struct Location {
  Place place = Place::L1;
  u32 size = 1;
  u64 begin = 0;

  u64 end() const { return begin + size; }
  friend bool operator==(const Location&, const Location&) = default;
};

/// As a report names it: "L1[0x12340, +4]", "configuration field STACC_RELU_ApplyRelu of bank 0".
std::string describe(const Location& location);

}  // namespace bhemu::race
