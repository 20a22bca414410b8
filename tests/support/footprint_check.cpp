#include "support/footprint_check.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "tensix/sfpu/vector.hpp"

namespace bhemu::tensix::test {
namespace {

using namespace footprint_cell;

/// Collects cells of one State by address.
class Collector {
 public:
  Collector(const State& state, std::vector<Cell>& cells) : state_(state), cells_(cells) {}

  template <class T>
  void number(Space space, u32 index, const T& value, u32 most = ~0u) {
    add(space, index, &value, sizeof(T), 0, most);
  }
  template <class T>
  void whole(Space space, u32 index, const T& value) {
    add(space, index, &value, sizeof(T), 1, 0);
  }
  template <class T, std::size_t kCount>
  void parts(Space space, u32 index, const std::array<T, kCount>& values, u32 bits = ~0u) {
    add(space, index, values.data(), sizeof values, kCount, bits);
  }

 private:
  void add(Space space, u32 index, const void* at, u32 bytes, u32 parts, u32 most) {
    const auto offset = static_cast<const u8*>(at) - reinterpret_cast<const u8*>(&state_);
    cells_.push_back({space, index, static_cast<u32>(offset), bytes, parts, most});
  }
  const State& state_;
  std::vector<Cell>& cells_;
};

void collect_config(Collector& c, const State& s) {
  for (u32 bank = 0; bank < 2; ++bank)
    for (u32 word = 0; word < (bank == 0 ? kConfigWords : kGlobalConfigBase); ++word)
      c.number(Space::Config, bank * kConfigWords + word, s.cfg.bank[bank][word]);
  for (u32 thread = 0; thread < kThreads; ++thread)
    for (u32 word = 0; word < kThreadConfigWords; ++word)
      c.number(Space::ThreadConfig, thread * kThreadConfigWords + word, s.cfg.thread[thread][word]);
  c.number(Space::Mmio, 0xFFB12068, s.cfg.debug_feature_disable);
}

void collect_src(Collector& c, const SrcFile& file, Space space, u32 first) {
  for (u32 bank = 0; bank < kSrcBanks; ++bank) {
    for (u32 row = 0; row < kSrcRows; ++row)
      c.parts(space, bank * kSrcRows + row, file.bank[bank][row].datum, 0xFFFFE000);
    c.number(Space::SrcControl, first + Owner0 + bank, file.owner[bank], 1);
    c.number(Space::SrcControl, first + Format0 + bank, file.format[bank], 15);
  }
  c.number(Space::SrcControl, first + UnpackBank, file.unpack_bank, 1);
  c.number(Space::SrcControl, first + MatrixBank, file.matrix_bank, 1);
}

void collect_fpu(Collector& c, const State& s) {
  collect_src(c, s.fpu.src_a, Space::SrcA, 0);
  collect_src(c, s.fpu.src_b, Space::SrcB, kSrcCells);
  for (u32 row = 0; row < kDstRows; ++row) {
    c.parts(Space::Dst, row, s.fpu.dst.row[row].datum);
    c.number(Space::Dst, row, s.fpu.dst.valid[row], 1);
  }
  for (u32 thread = 0; thread < kThreads; ++thread) {
    const Rwc& rwc = s.fpu.rwc[thread];
    const u32 first = thread * kRwcCells;
    c.number(Space::Rwc, first + DstCounter, rwc.dst, 1023);
    c.number(Space::Rwc, first + DstCr, rwc.dst_cr, 1023);
    c.number(Space::Rwc, first + StackPointer, rwc.sp, 1023);
    c.number(Space::Rwc, first + SrcACounter, rwc.src_a, 63);
    c.number(Space::Rwc, first + SrcACr, rwc.src_a_cr, 63);
    c.number(Space::Rwc, first + SrcBCounter, rwc.src_b, 63);
    c.number(Space::Rwc, first + SrcBCr, rwc.src_b_cr, 63);
    c.number(Space::Rwc, first + Fidelity, rwc.fidelity, 3);
    c.number(Space::Rwc, first + Bias, rwc.bias, 1);
  }
  c.number(Space::Rwc, LastSrcARow, s.fpu.last_src_a_row, 63);
}

void collect_sfpu(Collector& c, const State& s) {
  const SfpuState& sfpu = s.sfpu;
  for (u32 i = 0; i < kLRegs; ++i) c.parts(Space::LReg, i, sfpu.lreg[i].lane);
  c.number(Space::ConditionCode, UseLaneFlags, sfpu.condition.use_lane_flags);
  c.number(Space::ConditionCode, LaneFlags, sfpu.condition.lane_flags);
  c.number(Space::ConditionCode, StackSize, sfpu.stack_size, 8);
  for (u32 i = 0; i < kConditionStack; ++i) {
    c.number(Space::ConditionCode, Stack + i, sfpu.stack[i].use_lane_flags);
    c.number(Space::ConditionCode, Stack + i, sfpu.stack[i].lane_flags);
  }
  for (u32 i = 0; i < 4; ++i) {
    c.parts(Space::SfpuConfig, i, sfpu.macro_instruction[i]);
    c.parts(Space::SfpuConfig, 4 + i, sfpu.macro_sequence[i]);
  }
  c.parts(Space::SfpuConfig, 8, sfpu.macro_misc, 0xFFF);
  c.parts(Space::SfpuConfig, 15, sfpu.lane_config, 0x3FFFF);
  c.whole(Space::SfpuSchedule, 0, sfpu.schedule);
  c.parts(Space::Random, 0, sfpu.prng);
  c.parts(Space::Random, 1, s.packer.random);
}

void collect_adc(Collector& c, const State& s) {
  for (u32 thread = 0; thread < kThreads; ++thread) {
    for (u32 unit = 0; unit < 3; ++unit) {
      for (u32 i = 0; i < 2; ++i) {
        const AdcChannel& channel = s.adc.adc[thread][unit].channel[i];
        c.number(Space::Adc, adc(thread, unit, i, X), channel.x, kAdcMaskX);
        c.number(Space::Adc, adc(thread, unit, i, XCr), channel.x_cr, kAdcMaskX);
        c.number(Space::Adc, adc(thread, unit, i, Y), channel.y, kAdcMaskY);
        c.number(Space::Adc, adc(thread, unit, i, YCr), channel.y_cr, kAdcMaskY);
        c.number(Space::Adc, adc(thread, unit, i, Z), channel.z);
        c.number(Space::Adc, adc(thread, unit, i, ZCr), channel.z_cr);
        c.number(Space::Adc, adc(thread, unit, i, W), channel.w);
        c.number(Space::Adc, adc(thread, unit, i, WCr), channel.w_cr);
      }
    }
  }
}

void collect_packer(Collector& c, const PackerState& p) {
  c.whole(Space::Packer, OpenTile, p.start_address);
  c.whole(Space::Packer, OpenTile, p.exponents);
  c.whole(Space::Packer, OpenTile, p.data);
  c.whole(Space::Packer, OpenTile, p.group);
  c.whole(Space::Packer, OpenTile, p.group_fill);
  c.whole(Space::Packer, OpenTile, p.out_format);
  c.whole(Space::Packer, OpenTile, p.open);
  c.whole(Space::Packer, OpenTile, p.phase);
  c.whole(Space::Packer, OpenTile, p.compressor.row_starts);
  c.whole(Space::Packer, OpenTile, p.compressor.run_lengths);
  c.whole(Space::Packer, OpenTile, p.compressor.held);
  c.whole(Space::Packer, OpenTile, p.compressor.stored);
  c.whole(Space::Packer, OpenTile, p.compressor.row);
  c.number(Space::Packer, ZeroFlags, p.compressor.zero_flags);
  c.whole(Space::Packer, OpenTile, p.compressor.group_fill);
  c.whole(Space::Packer, OpenTile, p.compressor.active);
  c.whole(Space::Packer, OpenTile, p.compressor.row_open);
  c.whole(Space::Packer, OpenTile, p.compressor.row_has_datum);
  c.whole(Space::Packer, OpenTile, p.compressor.row_is_zero);
  c.whole(Space::Packer, OpenTile, p.compressor.has_held);
  c.whole(Space::Packer, OpenTile, p.compressor.held_is_zero);
  c.whole(Space::Packer, OpenTile, p.compressor.zeros);
  c.number(Space::Packer, Position, p.y);
  c.number(Space::Packer, Position, p.z);
  c.number(Space::Packer, Statistics, p.max_exponent);
  c.parts(Space::Packer, Statistics, p.exponent_histogram);
  c.number(Space::Packer, TrackedContext, p.context, 3);
  c.number(Space::Packer, TrackedContext, p.context_planes);
  c.number(Space::Packer, LastTileSize, p.last_thread, 2);
  c.number(Space::Packer, LastTileSize, p.last_tile_size, 0xFFFF);
  for (u32 i = 0; i < kThreads; ++i)
    c.number(Space::Packer, AccumulatedSize0 + i, p.accumulated_size[i]);
  c.whole(Space::Packer, ClosedTiles, p.closed_sizes);
  c.whole(Space::Packer, ClosedTiles, p.closed_zero_flags);
  c.whole(Space::Packer, ClosedTiles, p.closed_head);
  c.whole(Space::Packer, ClosedTiles, p.closed_tail);
  c.number(Space::Packer, SetregData, p.setreg_data);
  c.number(Space::Packer, AddressOffset, p.l1_address_offset, 0xFFF);
}

void collect_rest(Collector& c, const State& s) {
  for (u32 thread = 0; thread < kThreads; ++thread) {
    for (u32 i = 0; i < kGprs; ++i)
      c.number(Space::Gpr, thread * kGprs + i, s.thcon.gpr[thread][i]);
    const LatchedWait& wait = s.frontend[thread].wait;
    c.whole(Space::WaitGate, thread, wait);
  }
  for (u32 i = 0; i < kSemaphores; ++i) {
    c.number(Space::Semaphore, i, s.sync.semaphore[i].value, 15);
    c.number(Space::Semaphore, i, s.sync.semaphore[i].max, 15);
  }
  for (u32 i = 0; i < kMutexes; ++i) c.number(Space::Mutex, i, s.sync.mutex[i], 2);
  for (u32 unpacker = 0; unpacker < 2; ++unpacker) {
    const UnpackerState& state = s.unpacker[unpacker];
    const u32 first = unpacker * kUnpackerCells;
    for (u32 thread = 0; thread < kThreads; ++thread) {
      c.number(Space::Unpacker, first + Context0 + thread, state.context[thread], 7);
      c.number(Space::Unpacker, first + SrcRow0 + thread, state.src_row[thread], 63);
    }
    c.number(Space::Unpacker, first + MessageCount, state.message_count);
    c.number(Space::Unpacker, first + MessageCount, state.message_count_high, 1);
  }
}

u32 read_number(const State& state, const Cell& cell) {
  u32 value = 0;
  std::memcpy(&value, reinterpret_cast<const u8*>(&state) + cell.offset, cell.bytes);
  return value;
}
const u8* bytes_of(const State& state, const Cell& cell) {
  return reinterpret_cast<const u8*>(&state) + cell.offset;
}

/// What of a cell differs: bits of a number, or parts.
u32 differing(const State& a, const State& b, const Cell& cell) {
  if (cell.parts == 0) return read_number(a, cell) ^ read_number(b, cell);
  const u32 each = cell.bytes / cell.parts;
  u32 mask = 0;
  for (u32 i = 0; i < cell.parts; ++i)
    if (std::memcmp(bytes_of(a, cell) + i * each, bytes_of(b, cell) + i * each, each) != 0)
      mask |= 1u << i;
  return mask;
}

/// Cells that every mask means whole: a row's valid flag, what is no register with bits.
bool is_indivisible(const Cell& cell) {
  switch (cell.space) {
    case Space::Dst:
      return cell.parts == 0;
    case Space::Config:
    case Space::ThreadConfig:
    case Space::Gpr:
    case Space::ConditionCode:
      return false;
    case Space::Packer:
      return cell.index != SetregData;
    default:
      return cell.parts <= 1;
  }
}

}  // namespace

CellMap::CellMap() {
  const auto state = std::make_unique<State>();
  Collector collector(*state, cells_);
  collect_config(collector, *state);
  collect_fpu(collector, *state);
  collect_sfpu(collector, *state);
  collect_adc(collector, *state);
  collect_packer(collector, state->packer);
  collect_rest(collector, *state);
  unnamed_.assign(sizeof(State), true);
  const auto named = [&](const void* at, std::size_t bytes) {
    const auto first = static_cast<const u8*>(at) - reinterpret_cast<const u8*>(state.get());
    for (std::size_t i = 0; i < bytes; ++i) unnamed_[static_cast<std::size_t>(first) + i] = false;
  };
  for (const Cell& cell : cells_) named(bytes_of(*state, cell), cell.bytes);
  // Copies of global words, what follows from LaneConfig, windows, who holds which unit, stops.
  named(&state->cfg.bank[1][kGlobalConfigBase], 4 * (kConfigWords - kGlobalConfigBase));
  named(&state->sfpu.masked_lanes, sizeof state->sfpu.masked_lanes);
  named(&state->sfpu.lanes_with, sizeof state->sfpu.lanes_with);
  named(&state->busy_until, sizeof state->busy_until);
  named(&state->quiet_from, sizeof state->quiet_from);
  named(&state->semaphore_use, sizeof state->semaphore_use);  // seen by reports alone
  named(&state->mover.busy_until, sizeof state->mover.busy_until);
  named(&state->thcon.occupied_by, sizeof state->thcon.occupied_by);
  for (const Frontend& frontend : state->frontend) named(&frontend.stopped, 1);
}

FootprintCheck::FootprintCheck() {
  touches_.flows.want(true);
  env_.l1 = &l1_;
  env_.registers = this;
  l1_.listen(this);
  for (u32 line = 0; line < L1::kLines; ++line) l1_.set_flag(line << L1::kLineShift, L1::kObserved);
}

bool FootprintCheck::load_register(u32 address, u32& value, const Author&) {
  value = value_of_register(address);
  return true;
}

bool FootprintCheck::store_register(u32 address, u32 value, const Author&) {
  stored_.emplace_back(address, value);
  return true;
}

void FootprintCheck::before_write(u32 address, u32 bytes, const Author&) {
  written_.push_back({address, {l1_.data() + address, l1_.data() + address + bytes}});
}

u32 FootprintCheck::value_of_register(u32 address) const {
  bool named = false;
  for (const Touch& touch : touches_) {
    if (!reads(touch.access)) continue;
    const u32 stream = (address - 0xFFB40000) / 0x1000 * 1024 + (address & 0xFFF) / 4;
    named = named || (touch.space == Space::Mmio && touch.begin == address) ||
            (touch.space == Space::Stream && touch.begin == stream);
  }
  const u32 salt = named || !salted_ ? 0 : salt_;
  return (address ^ salt) * 0x9E3779B9u;
}

u32 FootprintCheck::touched(const Cell& cell, Access access) const {
  u32 mask = 0;
  for (const Touch& touch : touches_) {
    const bool meant = (static_cast<u8>(touch.access) & static_cast<u8>(access)) != 0;
    if (!meant || touch.space != cell.space) continue;
    if (cell.index >= touch.begin && cell.index < touch.end()) mask |= touch.mask;
  }
  return mask != 0 && is_indivisible(cell) ? ~0u : mask;
}

bool FootprintCheck::l1_touched(u32 address, Access access) const {
  for (const Touch& touch : touches_) {
    const bool meant = (static_cast<u8>(touch.access) & static_cast<u8>(access)) != 0;
    if (meant && touch.space == Space::L1 && address >= touch.begin && address < touch.end())
      return true;
  }
  return false;
}

void FootprintCheck::randomise_cell(State& state, const Cell& cell, u32 keep) {
  u8* const at = reinterpret_cast<u8*>(&state) + cell.offset;
  if (cell.parts == 0) {
    const u32 old = read_number(state, cell);
    u32 value = one_in(3) ? random() & random() & random() : random();
    if (cell.most + 1 != 0)
      value = std::has_single_bit(cell.most + 1) ? value & cell.most : value % (cell.most + 1);
    value = (old & keep) | (value & ~keep);
    std::memcpy(at, &value, cell.bytes);
    return;
  }
  const u32 each = cell.bytes / cell.parts;
  if (cell.most == 0 || each > 4) return;  // made of several numbers: stays what it is
  for (u32 i = 0; i < cell.parts; ++i) {
    if (bit(keep, i)) continue;
    const u32 value = random() & cell.most;
    std::memcpy(at + i * each, &value, each);
  }
}

void FootprintCheck::finish_random(State& state) {
  // Registers that never change, copies, and what follows from others.
  const SfpuState fresh;
  for (const u32 constant : {8u, 9u, 10u, 15u}) state.sfpu.lreg[constant] = fresh.lreg[constant];
  for (u32 word = kGlobalConfigBase; word < kConfigWords; ++word)
    state.cfg.bank[1][word] = state.cfg.bank[0][word];
  for (u32 i = state.sfpu.stack_size; i < kConditionStack; ++i) state.sfpu.stack[i] = {};
  sfpu::follow_lane_config(state.sfpu);
}

void FootprintCheck::randomise(State& state, Space space) {
  for (const Cell& cell : map_.cells())
    if (cell.space == space) randomise_cell(state, cell, 0);
  finish_random(state);
}

u32 FootprintCheck::random_word(const Info& info) {
  u32 word = u32{info.opcode} << 24;
  for (u32 i = 0; i < info.fields_used; ++i) {
    const FieldInfo& field = info.fields[i];
    const u32 value = one_in(3) ? 0 : random();
    word = with_bits(word, field.low, field.width, bits(value, 0, field.width));
  }
  return word;
}

void FootprintCheck::randomise_all() {
  for (const Cell& cell : map_.cells()) randomise_cell(*state_, cell, 0);
  finish_random(*state_);
}

bool FootprintCheck::execute(State& state, unsigned thread, u32 word,
                             const SfpuScheduled* scheduled) {
  Context context{state, env_, thread, 0, word, scheduled};
  faults_.clear();
  written_.clear();
  stored_.clear();
  return kDecoded[opcode_of(word)].execute(context) == Completion::Done;
}

std::string FootprintCheck::check_writes(const State& before, const State& after) const {
  for (const Cell& cell : map_.cells()) {
    const u32 changed = differing(before, after, cell);
    const u32 undeclared = changed & ~touched(cell, Access::Write);
    if (undeclared != 0)
      return fmt::format("changes {} (bits or parts {:#x}) and does not say so",
                         describe({cell.space, Access::Write, cell.index}), undeclared);
  }
  const u8* const a = reinterpret_cast<const u8*>(&before);
  const u8* const b = reinterpret_cast<const u8*>(&after);
  for (std::size_t i = 0; i < sizeof(State); ++i)
    if (a[i] != b[i] && map_.unnamed()[i])
      return fmt::format("changes byte {} of the state, which no space names", i);
  return {};
}

std::string FootprintCheck::check_l1_writes() const {
  for (const Written& write : written_) {
    for (u32 i = 0; i < write.before.size(); ++i) {
      const bool changed = l1_.data()[write.address + i] != write.before[i];
      if (changed && !l1_touched(write.address + i, Access::Write))
        return fmt::format("writes L1[{:#x}] and does not say so", write.address + i);
    }
  }
  for (const auto& [address, value] : stored_) {
    bool named = false;
    for (const Touch& touch : touches_)
      named = named || (writes(touch.access) &&
                        (touch.space == Space::Mmio || touch.space == Space::Stream));
    if (!named) return fmt::format("writes register {:#x} and does not say so", address);
  }
  return {};
}

std::string FootprintCheck::compare_cells(const State& before, const State& after,
                                          const State& other_before,
                                          const State& other_after) const {
  for (const Cell& cell : map_.cells()) {
    const u32 unwritten =
        ~differing(before, after, cell) & ~differing(other_before, other_after, cell);
    const u32 different = differing(after, other_after, cell) & ~unwritten;
    if (different != 0)
      return fmt::format(
          "{} (bits or parts {:#x}) comes out another way when something changes "
          "that it does not say it reads",
          describe({cell.space, Access::Write, cell.index}), different);
  }
  return {};
}

/// Bytes of L1 around what is touched and elsewhere, but for what is read.
void FootprintCheck::scramble_l1() {
  const auto scramble = [&](u32 address) {
    if (address < L1::kSize && !l1_touched(address, Access::Read))
      l1_.write(address, &(static_cast<const u8&>(u8(random()))), 1, Author{});
  };
  for (const Touch& touch : touches_) {
    if (touch.space != Space::L1) continue;
    for (u32 i = 0; i < 48; ++i) scramble(touch.begin - 16 + i);
    for (u32 i = 0; i < 48; ++i) scramble(static_cast<u32>(touch.end()) - 16 + i);
  }
}

void FootprintCheck::restore_l1(const std::vector<Written>& written) {
  for (std::size_t i = written.size(); i-- > 0;)
    std::memcpy(l1_.data() + written[i].address, written[i].before.data(),
                written[i].before.size());
}

// The same instruction in a state in which everything that it does not read is something else.
std::string FootprintCheck::check_reads(const State& before, const State& after, unsigned thread,
                                        u32 word, const SfpuScheduled* scheduled) {
  const std::vector<Written> first = written_;
  const std::vector<std::pair<u32, u32>> first_stored = stored_;
  std::vector<std::vector<u8>> results;
  for (const Written& write : first)
    results.emplace_back(l1_.data() + write.address,
                         l1_.data() + write.address + write.before.size());
  restore_l1(first);

  auto other = std::make_unique<State>(before);
  for (const Cell& cell : map_.cells()) {
    const u32 read = touched(cell, Access::Read);
    if (read == 0 || (!is_indivisible(cell) && read != ~0u)) randomise_cell(*other, cell, read);
  }
  finish_random(*other);
  const auto other_before = std::make_unique<State>(*other);
  written_.clear();
  scramble_l1();
  const std::vector<Written> scrambled = written_;
  salt_ = random();
  salted_ = true;
  const bool done = execute(*other, thread, word, scheduled);
  salted_ = false;
  std::string wrong = compare_cells(before, after, *other_before, *other);
  if (!done) wrong = "stalls when something changes that it does not say it reads";
  if (wrong.empty() && stored_ != first_stored)
    wrong = "stores something else to registers when something it does not read changes";
  if (wrong.empty() && written_.size() != first.size()) wrong = "writes L1 another number of times";
  for (std::size_t i = 0; i < first.size() && wrong.empty(); ++i) {
    if (written_[i].address != first[i].address || written_[i].before.size() != results[i].size())
      wrong = "writes L1 elsewhere when something it does not read changes";
    for (u32 j = 0; j < results[i].size() && wrong.empty(); ++j) {
      const u32 address = first[i].address + j;
      if (l1_touched(address, Access::Write) && l1_.data()[address] != results[i][j])
        wrong = fmt::format("L1[{:#x}] comes out another way", address);
    }
  }
  restore_l1(written_);
  restore_l1(scrambled);
  for (std::size_t i = 0; i < first.size(); ++i)
    std::memcpy(l1_.data() + first[i].address, results[i].data(), results[i].size());
  written_ = first;
  return wrong;
}

namespace {

using FlowCell = std::pair<Space, u32>;

/// Bit i: part i of the cell is among them.
u32 parts_in(const std::set<FlowCell>& all, const Cell& cell) {
  u32 mask = 0;
  for (u32 i = 0; i < cell.parts; ++i)
    if (all.contains({cell.space, cell.index * cell.parts + i})) mask |= 1u << i;
  return mask;
}

bool holds_datums(const Cell& cell) {
  return (cell.space == Space::Dst || cell.space == Space::SrcA || cell.space == Space::SrcB ||
          cell.space == Space::LReg) &&
         cell.parts > 1;
}

}  // namespace

std::string FootprintCheck::check_flows(const State& before, const State& after, unsigned thread,
                                        u32 word, const SfpuScheduled* scheduled) {
  const std::span<const Flow> flows = touches_.flows.all();
  // What block a datum is in decides how much of it is left.
  const bool packs_blocks = opcode_of(word) == op::PACR::kOpcode &&
                            numeric::is_bfp(static_cast<numeric::Format>(after.packer.out_format));
  if (flows.empty() || packs_blocks) return {};
  const Flow& chosen = flows[below(static_cast<u32>(flows.size()))];
  const u32 to = chosen.to_begin + below(chosen.count) * chosen.stride;
  std::set<FlowCell> sources;
  std::set<FlowCell> all;
  for (const Flow& flow : flows)
    for (u32 i = 0; i < flow.count; ++i)
      for (u32 j = 0; j < flow.size; ++j) {
        const FlowCell from{flow.from, flow.from_begin + i / flow.group * flow.step + j};
        all.insert(from);
        if (flow.to == chosen.to && flow.to_begin + i * flow.stride == to) sources.insert(from);
      }

  const std::vector<Written> first = written_;
  bool lands = chosen.to != Space::L1;
  for (const Written& one : first)
    lands |= chosen.to == Space::L1 && to >= one.address && to < one.address + one.before.size();
  if (!lands) return {};  // the last bytes of a block come with a later PACR
  std::vector<std::vector<u8>> results;
  for (const Written& write : first)
    results.emplace_back(l1_.data() + write.address,
                         l1_.data() + write.address + write.before.size());
  const u8 byte = chosen.to == Space::L1 ? l1_.data()[to] : u8{0};
  restore_l1(first);

  auto other = std::make_unique<State>(before);
  for (const Cell& cell : map_.cells())
    if (holds_datums(cell))
      randomise_cell(*other, cell, ~touched(cell, Access::Read) | parts_in(sources, cell));
  finish_random(*other);
  written_.clear();
  for (const auto& [space, address] : all)
    if (space == Space::L1 && !sources.contains({space, address})) {
      const u8 value = static_cast<u8>(random());
      l1_.write(address, &value, 1, Author{});
    }
  const std::vector<Written> scrambled = written_;
  const bool done = execute(*other, thread, word, scheduled);
  bool same = !done || faulted() || chosen.to != Space::L1 || l1_.data()[to] == byte;
  for (const Cell& cell : map_.cells())
    if (done && !faulted() && cell.space == chosen.to && holds_datums(cell) &&
        to / cell.parts == cell.index)
      same = same && (differing(after, *other, cell) >> to % cell.parts & 1) == 0;
  restore_l1(written_);
  restore_l1(scrambled);
  for (std::size_t i = 0; i < first.size(); ++i)
    std::memcpy(l1_.data() + first[i].address, results[i].data(), results[i].size());
  written_ = first;
  if (same) return {};
  return fmt::format(
      "{} cell {} comes out another way when something changes that it does not come "
      "from by its flows",
      name_of(chosen.to), to);
}

std::string FootprintCheck::run(unsigned thread, u32 word, const SfpuScheduled* scheduled) {
  touches_.clear();
  const auto before = std::make_unique<State>(*state_);
  if (scheduled != nullptr)
    footprint(*state_, env_, *scheduled, touches_);
  else
    footprint(*state_, env_, thread, word, touches_);
  if (std::memcmp(before.get(), state_.get(), sizeof(State)) != 0) return "footprint changes state";
  stalled_ = !execute(*state_, thread, word, scheduled);
  if (stalled_) {
    *state_ = *before;
    restore_l1(written_);
    return {};
  }
  const bool had_fault = faulted();
  std::string wrong = check_writes(*before, *state_);
  if (wrong.empty()) wrong = check_l1_writes();
  // What a rule stopped has not done everything that its footprint says.
  if (wrong.empty() && !had_fault) wrong = check_reads(*before, *state_, thread, word, scheduled);
  if (wrong.empty() && !had_fault) wrong = check_flows(*before, *state_, thread, word, scheduled);
  state_->frontend[thread].stopped = false;
  if (wrong.empty()) return {};
  std::string all;
  for (const Touch& touch : touches_) all += "\n  " + describe(touch);
  return fmt::format("{} ({:#010x}) {}; its footprint:{}", info_of_word(word).name, word, wrong,
                     all);
}

}  // namespace bhemu::tensix::test
