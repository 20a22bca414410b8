// Places that can be asked about or watched: memory, register files, and objects of a node.
#pragma once

#include <bit>
#include <optional>
#include <string>

#include "base/types.hpp"
#include "tensix/config.hpp"
#include "tensix/footprint/footprint.hpp"

namespace bhemu::watch {

enum class Area : u8 {
  Memory,         // bytes of L1, or of a DRAM bank
  Ldm,            // bytes of local memory: core * kLdmStride + offset
  Register,       // bytes of the tile's other registers, by MMIO address
  Dst,            // datums: physical row * 16, + column / 2 for even columns, + 8 for odd ones,
                  // which the vector unit writes together
  SrcA,           // datums: (bank * 64 + row) * 16 + column
  SrcB,           // likewise
  LReg,           // lanes: register * 32 + lane
  ConditionCode,  // as tensix::Space::ConditionCode
  Gpr,            // bits: (thread * 64 + word) * 32 + bit
  Config,         // bits: (bank * 224 + word) * 32 + bit
  ThreadConfig,   // bits: (thread * 68 + word) * 32 + bit
  MopConfig,      // thread * 10 + word
  Replay,         // thread * 32 + slot
  Semaphore,      // 0..7
  Mutex,          // index
  Mailbox,        // from * 4 + to
  PcBuf,          // thread
  Stream,         // stream * 1024 + register
};
inline constexpr unsigned kAreas = 18;
inline constexpr u32 kLdmStride = 0x2000;
inline constexpr u32 kRowUnits = 16;   // of Dst, SrcA and SrcB
inline constexpr u32 kHalfUnits = 8;   // of Dst
inline constexpr u32 kLaneUnits = 32;  // of an LReg

/// Of Dst: from row * 16 + column to the unit, and back.
constexpr u64 unit_of_dst(u64 cell) {
  return (cell & ~u64{15}) | (cell & 1) << 3 | (cell & 15) >> 1;
}
constexpr u64 dst_cell_of(u64 unit) {
  return (unit & ~u64{15}) | (unit & 7) << 1 | (unit & 8) >> 3;
}

/// [begin, end) of an area, in its units.
struct Place {
  Area area = Area::Memory;
  u64 begin = 0;
  u64 end = 0;

  u64 size() const { return end - begin; }
  bool overlaps(const Place& other) const {
    return area == other.area && begin < other.end && other.begin < end;
  }
  friend bool operator==(const Place&, const Place&) = default;
};

/// Calls visit(place) for what of a touch has places here: of rows and LRegs what its mask names,
/// of other masks one range, from the first bit to the last.
template <class Visit>
void each_place(const tensix::Touch& touch, Visit visit);

/// "L1[0x1000, +64]", "Dst rows 0..7", "configuration THCON_SEC0_REG2_Out_data_format of bank 0".
std::string describe(const Place& place);

/// A field of the configuration that is 0 unless something special is wanted, so that one which an
/// operation leaves behind spoils the next.
struct Mode {
  const char* name;
  u32 bank;
  u32 word;
  u32 low;
  u32 width;
  Place place;
};
/// What a user has written: "0x1000", "0x1000+64", "l1:0x1000-0x103f", "dst:3", "srca:70",
/// "dst:3:5" (column 5), "src b:0-15" (of both banks when no bank is named: "srca:1:0"; a column
/// only with a bank: "srca:1:0:5"), "lreg:2", "lreg:2:31" (lane 31), "gpr:1:16", "cfg:NAME",
/// "cfg:0:92", "tcfg:1:5", "tcfg:NAME", "sem:1", "mutex:2", "stream:3:10", "cb:3" (its two
/// counters), "mailbox:0:1", "ldm:trisc1:0x20+4", "reg:0xffb12000". Throws InputError that names
/// `setting`.
std::vector<Place> parse_places(const std::string& setting, const std::string& text);

/// The whole of a touch, in units of the area; none for what has no place here.
std::optional<Place> place_of(const tensix::Touch& touch);

/// Calls visit(mode) for each in each bank.
template <class Visit>
constexpr void each_mode(Visit visit) {
  const auto in_both = [&]<class Field>(const char* name, Field) {
    for (u32 bank = 0; bank < 2; ++bank) {
      const u64 begin = (u64{bank} * tensix::kConfigWords + Field::kWord) * 32 + Field::kLow;
      visit(Mode{name,
                 bank,
                 Field::kWord,
                 Field::kLow,
                 Field::kWidth,
                 {Area::Config, begin, begin + Field::kWidth}});
    }
  };
  using namespace tensix;
  in_both("THCON_SEC0_REG2_Haloize_mode", cfg::THCON_SEC0_REG2_Haloize_mode{});
  in_both("THCON_SEC1_REG2_Haloize_mode", cfg::THCON_SEC1_REG2_Haloize_mode{});
  in_both("THCON_SEC0_REG2_Tileize_mode", cfg::THCON_SEC0_REG2_Tileize_mode{});
  in_both("THCON_SEC1_REG2_Tileize_mode", cfg::THCON_SEC1_REG2_Tileize_mode{});
  in_both("THCON_SEC0_REG2_Upsample_rate", cfg::THCON_SEC0_REG2_Upsample_rate{});
  in_both("THCON_SEC1_REG2_Upsample_rate", cfg::THCON_SEC1_REG2_Upsample_rate{});
  in_both("THCON_SEC0_REG1_Pack_L1_Acc", cfg::THCON_SEC0_REG1_Pack_L1_Acc{});
  in_both("STACC_RELU_ApplyRelu", cfg::STACC_RELU_ApplyRelu{});
}

template <class Visit>
void each_place(const tensix::Touch& touch, Visit visit) {
  const std::optional<Place> whole = place_of(touch);
  if (!whole) return;
  u32 width = 0;
  if (whole->area == Area::Dst || whole->area == Area::SrcA || whole->area == Area::SrcB)
    width = kRowUnits;
  else if (whole->area == Area::LReg)
    width = kLaneUnits;
  const u32 all = width == kRowUnits ? 0xFFFF : ~0u;
  if (width == 0 || (touch.mask & all) == all) return visit(*whole);
  u32 units = touch.mask & all;
  if (whole->area == Area::Dst) {
    units = 0;
    for (u32 column = 0; column < kRowUnits; ++column)
      units |= (touch.mask >> column & 1) << unit_of_dst(column);
  }
  for (u64 row = whole->begin; row < whole->end; row += width)
    for (u32 left = units; left != 0;) {
      const u32 first = static_cast<u32>(std::countr_zero(left));
      const u32 run = static_cast<u32>(std::countr_one(left >> first));
      visit(Place{whole->area, row + first, row + first + run});
      left &= ~static_cast<u32>(((u64{1} << run) - 1) << first);
    }
}

}  // namespace bhemu::watch
