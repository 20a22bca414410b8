// What an instruction reads and writes, as a pure function of the state in front of it. Stated
// once, beside the semantics of the instruction (`void footprint(Footprint&, op::NAME)` near
// `Completion execute(Context&, op::NAME)`), by the same code that finds its addresses.
//
// For last writers, watchpoints and the race detector. Documents: those of the units.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "tensix/footprint/flow.hpp"

namespace bhemu::tensix {

struct State;
struct Environment;
struct SfpuScheduled;

/// Where a touch lies, and what its `begin`, `size` and `mask` count. A mask of all ones means the
/// whole of every cell.
enum class Space : u8 {
  L1,            // bytes
  Config,        // words: bank * kConfigWords + word; a global word only as one of bank 0. Bits
  ThreadConfig,  // words: thread * kThreadConfigWords + word. Bits
  Dst,         // physical rows of 16 bits, 0..1023, each with its valid flag; what is 32 bits wide
               // touches rows p and p + 8. Columns
  SrcA,        // bank * kSrcRows + row. Columns
  SrcB,        // the same
  SrcControl,  // owners, formats and turns of banks: file (0 A, 1 B) * kSrcCells + SrcCell
  LReg,        // 0..16. Lanes
  ConditionCode,  // ConditionCell. Lanes
  SfpuConfig,     // by SFPCONFIG's destination: templates 0 to 3, sequences 4 to 7, misc 8,
                  // LaneConfig 15. Columns of lanes, 8 bits
  SfpuSchedule,   // one cell: what SFPLOADMACRO has scheduled
  Random,         // generators: 0 of the vector unit (lanes), 1 of the packer (columns)
  Gpr,            // thread * kGprs + word. Bits
  Adc,            // footprint_cell::adc: (unit * kThreads + thread) * 16 + channel * 8 + AdcCell
  Rwc,            // thread * kRwcCells + RwcCell
  Semaphore,      // 0..7, value and maximum
  Mutex,          // index
  WaitGate,       // thread: the condition that STALLWAIT, SEMWAIT and STREAMWAIT latch
  Busy,           // thread * kBusyUnits + unit, kMoverBusy: tested, never named as written
  MopConfig,      // thread * kMopCells + word; word 9 is the high half of the mask, MOP_CFG's
  Replay,         // thread * kReplaySlots + slot
  ResourceClass,  // thread * 16 + class: RESOURCEDECL
  Unpacker,       // what is kept between instructions: unpacker * kUnpackerCells + UnpackerCell
  Packer,         // the same: PackerCell
  Stream,         // stream * 1024 + register
  Mmio,           // bytes of the tile's other registers, by full address
};
inline constexpr unsigned kSpaces = 26;
const char* name_of(Space space);

/// ReadWrite: one instruction does both and nothing can come between.
enum class Access : u8 { Read = 1, Write = 2, ReadWrite = 3 };
constexpr bool reads(Access access) {
  return (static_cast<u8>(access) & 1) != 0;
}
constexpr bool writes(Access access) {
  return (static_cast<u8>(access) & 2) != 0;
}

/// [begin, begin + size) of a space, in its units, and of each unit the bits of `mask`.
struct Touch {
  Space space = Space::L1;
  Access access = Access::Read;
  u32 begin = 0;
  u32 size = 1;
  u32 mask = ~0u;

  u64 end() const { return u64{begin} + size; }
  friend bool operator==(const Touch&, const Touch&) = default;
};

/// "write Dst row 16..23", "read configuration THCON_SEC0_REG2_Out_data_format of bank 0".
std::string describe(const Touch& touch);

/// A list that needs no allocation as long as it is short. What continues or repeats one of the
/// latest touches is joined with it.
class Touches {
 public:
  void clear() {
    flows.clear();
    count_ = 0;
    more_.clear();
    last_.fill(kNone);
  }
  void add(const Touch& touch) {
    if ((wanted_ >> static_cast<unsigned>(touch.space) & 1) != 0) keep(touch);
  }
  /// Touches of other spaces are left out: a bit per Space.
  void want(u32 spaces) { wanted_ = spaces; }
  u32 size() const { return count_; }
  bool empty() const { return count_ == 0; }
  const Touch& operator[](u32 i) const { return data()[i]; }
  const Touch* begin() const { return data(); }
  const Touch* end() const { return data() + count_; }

  /// Where results come from, if somebody wants to know.
  Flows flows;

 private:
  static constexpr u32 kInside = 96;
  static constexpr std::array<u8, kSpaces> none_yet() {
    std::array<u8, kSpaces> none{};
    none.fill(kNone);
    return none;
  }
  const Touch* data() const { return more_.empty() ? inside_.data() : more_.data(); }
  Touch* data() { return more_.empty() ? inside_.data() : more_.data(); }

  static constexpr u8 kNone = 0xFF;

  void keep(const Touch& touch);

  u32 wanted_ = ~0u;
  u32 count_ = 0;
  // Of those inside: by space the last, and for each the one of its space before it.
  std::array<u8, kSpaces> last_ = none_yet();
  std::array<u8, kInside> before_;
  std::array<Touch, kInside> inside_;
  std::vector<Touch> more_;  // everything, once it no longer fits inside
};

/// What `word` touches when `thread` executes it in `state`, which is the state after its waits:
/// its unit takes it. Where a rule would stop the thread, what it would touch if the rule did not.
/// Of MOP, MOP_CFG, REPLAY and RESOURCEDECL: what the expanders touch. Appends; changes nothing
/// else. An observer's own time is spent here; without one, nothing calls it.
void footprint(const State& state, const Environment& env, unsigned thread, u32 word,
               Touches& touches);
/// The same of an instruction that SFPLOADMACRO has scheduled, in the cycle in which it executes.
/// Registers that it writes are named although they show the value one or two cycles later.
void footprint(const State& state, const Environment& env, const SfpuScheduled& scheduled,
               Touches& touches);

namespace footprint_cell {

/// Space::SrcControl.
enum SrcCell : u32 { Owner0, Owner1, Format0, Format1, UnpackBank, MatrixBank, kSrcCells };

/// Space::ConditionCode.
enum ConditionCell : u32 { UseLaneFlags, LaneFlags, StackSize, Stack, kConditionCells = Stack + 8 };

/// Counters of a channel of Space::Adc.
enum AdcCell : u32 { X, XCr, Y, YCr, Z, ZCr, W, WCr, kAdcCells };
constexpr u32 adc(u32 thread, u32 unit, u32 channel, u32 counter) {
  return (unit * kThreads + thread) * 16 + channel * kAdcCells + counter;
}

/// Counters of Space::Rwc. LastSrcARow exists once and is named by thread 0.
enum RwcCell : u32 {
  DstCounter,
  DstCr,
  StackPointer,
  SrcACounter,
  SrcACr,
  SrcBCounter,
  SrcBCr,
  Fidelity,
  Bias,
  LastSrcARow,
  kRwcCells
};

/// Space::Unpacker. Context0 and SrcRow0 are thread 0's, the other threads' follow.
enum UnpackerCell : u32 { Context0 = 0, SrcRow0 = 3, MessageCount = 6, kUnpackerCells = 8 };

/// Space::Packer.
enum PackerCell : u32 {
  OpenTile,  // addresses, partial blocks and what compression knows
  Position,
  Statistics,
  TrackedContext,
  LastTileSize,      // and whose it is
  AccumulatedSize0,  // of the three threads
  ClosedTiles = AccumulatedSize0 + 3,
  ZeroFlags,
  SetregData,
  AddressOffset,
  kPackerCells
};

inline constexpr u32 kMopCells = 10;
inline constexpr u32 kMoverBusy = 30;

}  // namespace footprint_cell

}  // namespace bhemu::tensix
