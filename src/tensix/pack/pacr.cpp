// PACR: rows of Dst (or datums of L1) through the packer's pipeline into L1.
//
// Documents: tt-isa-documentation BlackholeA0 PACR.md (read interfaces, tile position);
// tenstorrent/tt-llk tt_llk_blackhole assembly.yaml, PACR (RowPadZero, CtxtCtrl, zero write without
// interfaces, strided access); tt-isa-documentation WormholeB0 Packers/InputAddressGenerator.md,
// EdgeMasking.md, ExponentHistogram.md, ExponentThresholding.md, Downsampling.md.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "tensix/dst/notes.hpp"
#include "tensix/pack/output.hpp"
#include "tensix/pack/whole_rows.hpp"
#include "tensix/pieces.hpp"
#include "tensix/prng.hpp"

namespace bhemu::tensix {
namespace {

using numeric::kRow;
using pack::Input;
using pack::kInterfaces;
using Row = std::array<u32, kRow>;
/// `C`: Context, or Footprint, which goes the same way with a copy of the packer's state, or
/// LateContext, which goes on with what was begun before.
template <class C>
class Pacr {
 public:
  Pacr(const C& context, op::PACR insn, PackerState& packer)
      : context_(context),
        insn_(insn),
        words_(context.config()),
        packer_(packer),
        section_{words_, context_of(context, insn)},
        adc_(context.state.adc.of(counter_thread(context, insn), AdcUnit::Packer)),
        output_(context, section_, packer),
        mapping_(DstAccess::mapping_of(context.state)) {}

  void run();
  /// Everything up to the first row. False: there is nothing more to do.
  bool begin();
  bool move_rows(u32 first, u32 end);
  /// After the last row. False: a fault stopped the thread.
  bool finish();
  void step_on();

  const Input& input() const { return input_; }
  std::array<bool, 3> placed() const {
    return {mapping_.remap, mapping_.swizzle, mapping_.high_halves};
  }
  /// Goes on where another has begun. False: there is no such path.
  bool resume(const PackFlight& flight);
  const pack::Path* path() const { return path_; }  // null: of a flush

 private:
  static unsigned counter_thread(const C& context, op::PACR insn) {
    if (insn.ovrd_thread_id() == 0) return context.thread;
    const unsigned thread = insn.addr_cnt_context();
    return thread == 3 ? 0 : thread;
  }
  /// CtxtCtrl 1 and 3 take the tracked context instead of the instruction's.
  static u32 context_of(const C& context, op::PACR insn) {
    if (!bit(insn.ctxt_ctrl(), 0)) return insn.cfg_context();
    note_read(context, Space::Packer, footprint_cell::TrackedContext);
    return context.state.packer.context;
  }
  void note(Access access, u32 cell) const {
    if constexpr (kOnlyNotes<C>) context_.note(access, Space::Packer, cell);
  }
  void note_counters(u32 channel, std::initializer_list<u32> counters) const {
    for (const u32 counter : counters)
      note_read(context_, Space::Adc,
                footprint_cell::adc(counter_thread(context_, insn_),
                                    static_cast<u32>(AdcUnit::Packer), channel, counter));
  }
  /// A footprint needs the datums only where they decide how much is written.
  bool needs_datums() const { return !kOnlyNotes<C> || path_->compress; }
  bool flush() const { return insn_.flush() != 0; }

  u32 l1_datum_bytes() const {
    return numeric::address_bytes_of(
        numeric::format_of(section_.template get<cfg::THCON_SEC0_REG1_In_data_format>()));
  }
  bool path_reads_32b() const { return cfg::PCK_DEST_RD_CTRL_Read_32b_data::get(words_) != 0; }
  bool find_input();
  bool find_zeros();
  bool find_rows(u32 start_row);
  u32 interfaces();
  bool fetch(u32 index, Row& code);
  bool apply_edge_mask(Row& code);
  Row stored_row(u32 row) const;
  u32 columns_read() const { return ((1u << input_.columns) - 1) << input_.column; }
  u32 plane() const {
    return section_.template counter<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset>() + packer_.z;
  }
  u32 descale_shift() const;
  u32 edge_mask() const;
  bool no_edge() const;
  bool no_edge_in(const ConfigWords& words) const;
  bool emit_whole_rows(u32 first, u32 end);
  void advance_position(u32 rows = 1);
  void advance_context();
  bool pads_now() const;
  bool pad_to_sixteen(u32 count);
  void update_statistics(const Row& code);
  void apply_threshold(Row& code) const;
  bool emit(u32 index, Row& code);

  const C& context_;
  op::PACR insn_;
  ConfigRef<C> words_;
  PackerState& packer_;
  pack::BasicSection<ConfigOf<C>> section_;
  std::conditional_t<kOnlyNotes<C>, const Adc, Adc>& adc_;
  std::optional<pack::Path> own_path_;
  const pack::Path* path_ = nullptr;
  pack::BasicOutput<C> output_;
  DstMapping mapping_;
  Input input_;
};

/// The mask of read interfaces; 0 stands for all four. With Auto_set_last_pacr_intf_sel the last
/// PACR of a plane reads only the rows that are left.
template <class C>
u32 Pacr<C>::interfaces() {
  const u32 selected = insn_.read_intf_sel() == 0 ? 0xF : insn_.read_intf_sel();
  if (section_.template get<cfg::THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel>() == 0)
    return selected;
  const u32 reads = section_.template counter<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>();
  const u32 position = packer_.open ? packer_.y : 0;
  const u32 left = reads > position ? reads - position : kInterfaces;
  if (left >= static_cast<u32>(std::popcount(selected))) return selected;
  return (1u << left) - 1;
}

template <class C>
bool Pacr<C>::find_rows(u32 start_row) {
  const u32 mask = interfaces();
  u32 stride = 1;
  if (insn_.dst_access_mode() != 0) {
    // Strided access reads physical rows 0, 8, 16, 24 from the start row. Remapping moves the rows
    // 16 apart to such places; what a 32-bit row is without it is not said.
    const bool placed = mapping_.remap && mapping_.swizzle;
    if (path_reads_32b() && !placed &&
        context_.raise(Rule::PackStrided,
                       fmt::format("strided PACR of 32-bit Dst with remap {}, swizzle {}",
                                   mapping_.remap, mapping_.swizzle)))
      return false;
    if constexpr (kOnlyNotes<C>) note_mapping(context_, path_reads_32b());
    stride = mapping_.remap ? 16 : 8;
  } else if ((mask << (start_row & 3)) > 0xF &&
             context_.raise(
                 Rule::PackInterfaces,
                 fmt::format("PACR from row {} with interfaces {:#x}", start_row, mask))) {
    return false;
  }
  for (u32 i = 0; i < kInterfaces; ++i)
    if (bit(mask, i)) input_.row[input_.rows++] = (start_row + i * stride) & 0x3FF;
  return true;
}

/// Zero write with no interface named packs x_end + 1 zeros.
template <class C>
bool Pacr<C>::find_zeros() {
  input_.zero = true;
  note_counters(0, {footprint_cell::X});
  note_counters(1, {footprint_cell::X});
  const u32 start = adc_.channel[0].x;
  const u32 count = adc_.channel[1].x + 1;
  if (start != 0 || count % kRow != 0) {
    context_.raise(Rule::PackXRange,
                   fmt::format("PACR of zeros without interfaces, columns {} to {}", start,
                               adc_.channel[1].x));
    return false;
  }
  input_.columns = kRow;
  input_.rows = count / kRow;
  return true;
}

template <class C>
bool Pacr<C>::find_input() {
  if (insn_.zero_write() != 0 && insn_.read_intf_sel() == 0) return find_zeros();
  using namespace footprint_cell;
  note_counters(0, {X, Y, Z, W});
  note_counters(1, {X});
  const AdcChannel& in = adc_.channel[0];
  const u32 bytes = l1_datum_bytes();
  const u32 size = static_cast<u32>(std::countr_zero(bytes));  // 1, 2 or 4 bytes
  const u32 x_mask = (kRow >> size) - 1;
  const u32 address = cfg::PCK0_ADDR_BASE_REG_0_Base::get(words_) +
                      in.x * (cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride::get(words_) & 0xF) +
                      in.y * cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride::get(words_) +
                      in.z * cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride::get(words_) +
                      in.w * cfg::PCK0_ADDR_CTRL_ZW_REG_0_Wstride::get(words_);
  const u32 offset = section_.template counter<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset>();
  const u32 start = (((address >> size & ~x_mask) | (in.x & x_mask)) + offset * kRow) & 0x3FFF;
  const i64 columns = i64{adc_.channel[1].x} - i64{in.x} + 1;
  input_.zero = insn_.zero_write() != 0;
  input_.from_l1 =
      !input_.zero && section_.template get<cfg::THCON_SEC0_REG1_Source_interface_selection>() != 0;
  input_.column = input_.from_l1 || input_.zero ? 0 : start % kRow;
  if (columns < 0 || input_.column + columns > kRow) {
    context_.raise(Rule::PackXRange,
                   fmt::format("PACR of {} datums from column {}", columns, input_.column));
    return false;
  }
  input_.columns = static_cast<u32>(columns);
  if (!input_.from_l1) return find_rows(start / kRow);

  const u32 high = section_.template get<cfg::THCON_SEC0_REG1_L1_source_addr>();
  const u32 low = (address & 0x3FFFFu & ~0xFu) | bytes * (in.x & x_mask);
  input_.l1_address = ((high << 18) + low) & 0x1FFFFF;
  input_.rows = 1;
  return interfaces() == 1 ||
         !context_.raise(Rule::PackUndocumented, "PACR from L1 with several Dst interfaces");
}

/// A row of Dst as it is stored.
template <class C>
std::array<u32, numeric::kRow> Pacr<C>::stored_row(u32 row) const {
  const Dst& dst = context_.state.fpu.dst;
  const u32 p = mapping_.place(row, path_->read_32b);
  Row stored{};
  if (dst.valid[p] == 0) return stored;
  for (u32 i = 0; i < kRow; ++i)
    stored[i] = path_->read_32b ? u32{dst.row[p].datum[i]} << 16 | dst.row[p + 8].datum[i]
                                : dst.row[p].datum[i];
  return stored;
}

/// One row of codes, edge mask applied; the tile position moves on.
template <class C>
bool Pacr<C>::fetch(u32 index, Row& code) {
  if (input_.zero) {
    code.fill(0);
    advance_position();
    return true;
  }
  Row stored{};
  if (input_.from_l1) {
    const u32 size = l1_datum_bytes();
    if (!L1::contains(input_.l1_address, input_.columns * size)) {
      context_.raise(Rule::PackL1Range,
                     fmt::format("PACR reads {:#x}, {} datums", input_.l1_address, input_.columns));
      return false;
    }
    note_read(context_, Space::L1, input_.l1_address, input_.columns * size);
    for (u32 i = 0; i < input_.columns; ++i)
      context_.l1().read(input_.l1_address + i * size, &stored[i], size);
    path_->early.row(stored.data(), 0, code.data());
    advance_position();
    return true;
  }
  if constexpr (kOnlyNotes<C>)
    note_dst(context_, Access::Read, {path_->read_32b, input_.row[index], 1, 1, columns_read()});
  if (path_->stochastic != nullptr) note_read(context_, Space::Random, 1);
  if (!needs_datums()) {
    code.fill(0);
    if (!apply_edge_mask(code)) return false;
    if (path_->descale_by_plane) descale_shift();
    advance_position();
    return true;
  }
  stored = stored_row(input_.row[index]);
  if (path_->stochastic != nullptr) {
    path_->stochastic(stored.data(), descale_shift(), draw_random(packer_).data(), code.data());
  } else {
    path_->early.row(stored.data(), descale_shift(), code.data());
  }
  if (!apply_edge_mask(code)) return false;
  advance_position();
  return true;
}

template <class C>
u32 Pacr<C>::descale_shift() const {
  if (!path_->descale_by_plane) return path_->descale_shift;
  const u32 z = plane() & 63;
  return bits(words_[cfg::INT_DESCALE_VALUES_SEC0_Value::kWord + z / 4], z % 4 * 8, 5);
}

template <class C>
u32 Pacr<C>::edge_mask() const {
  u32 row_set = section_.row_set();
  if (cfg::PCK_EDGE_TILE_FACE_SET_SELECT_enable::get(words_) != 0) {
    const u32 face_set = section_.face_set();
    const u32 map = words_[cfg::TILE_FACE_SET_MAPPING_0_face_set_mapping_0::kWord + face_set];
    row_set = bits(map, 2 * (plane() & 15), 2);
  }
  const u32 map = words_[cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0::kWord + row_set];
  const u32 section = bits(map, 2 * (packer_.y & 15), 2);
  return bits(words_[cfg::PCK_EDGE_OFFSET_SEC0_mask::kWord + section], 0, 16);
}

template <class C>
bool Pacr<C>::apply_edge_mask(Row& code) {
  const u32 mask = edge_mask();
  if (mask == 0xFFFF) return true;
  u32 masked = 0;
  if (cfg::PCK_EDGE_MODE_mode::get(words_) != 0 &&
      !numeric::negative_infinity(path_->early.code, masked) &&
      context_.raise(Rule::PackUndocumented,
                     fmt::format("edge mask with -infinity on {}", name_of(path_->early.code))))
    return false;
  for (u32 i = 0; i < kRow; ++i)
    if (!bit(mask, i)) code[i] = masked;
  return true;
}

template <class C>
void Pacr<C>::advance_position(u32 rows) {
  const u32 planes = pack::advance_position(
      packer_, section_.template counter<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(),
      section_.template counter<cfg::PACK_COUNTERS_SEC0_pack_yz_transposed>() != 0, rows);
  if (bit(insn_.ctxt_ctrl(), 0))
    packer_.context_planes = static_cast<u16>(packer_.context_planes + planes);
}

/// CtxtCtrl 1 and 3: the tracked context moves on after so many planes, or at the end of a tile.
template <class C>
void Pacr<C>::advance_context() {
  if (!bit(insn_.ctxt_ctrl(), 0)) return;
  note(Access::ReadWrite, footprint_cell::TrackedContext);
  const u32 planes = section_.template counter<cfg::PACK_COUNTERS_SEC0_auto_ctxt_inc_xys_cnt>();
  const bool moves = planes == 0 ? insn_.last() != 0 : packer_.context_planes >= planes;
  if (!moves) return;
  packer_.context = (packer_.context + 1) & 3;
  packer_.context_planes = 0;
}

template <class C>
void Pacr<C>::update_statistics(const Row& code) {
  const numeric::ExponentField field = numeric::exponent_field(path_->early.code);
  if (field.mask == 0) return;
  u32 greatest = packer_.max_exponent;
  for (u32 i = 0; i < input_.columns; ++i)
    greatest = std::max(greatest, field.of(code[input_.column + i]));
  packer_.max_exponent = static_cast<u8>(greatest);
  if (!path_->histogram) return;
  for (u32 i = 0; i < input_.columns; ++i) {
    u8& bin = packer_.exponent_histogram[field.of(code[input_.column + i]) & 31];
    if (bin != 255) ++bin;
  }
}

template <class C>
void Pacr<C>::apply_threshold(Row& code) const {
  const numeric::ExponentField field = numeric::exponent_field(path_->early.code);
  for (u32& value : code)
    if (field.of(value) < path_->threshold) value = 0;
}

template <class C>
bool Pacr<C>::emit(u32 index, Row& code) {
  Row datum;
  if (needs_datums()) {
    if (!input_.from_l1) numeric::relu_row(path_->early.code, path_->relu, code.data(), kRow);
    if (!input_.zero && !input_.from_l1) update_statistics(code);
    if (path_->threshold_on && !input_.from_l1) apply_threshold(code);
    path_->late(code.data(), datum.data());
  } else {
    datum.fill(0);
  }
  u32 first = input_.column;
  u32 count = input_.columns;
  if (path_->downsample != 0xFFFF) {
    count = 0;
    for (u32 i = 0; i < input_.columns; ++i) {
      if (!bit(path_->downsample, (index * input_.columns + i) % 16)) continue;
      code[count] = code[first + i];
      datum[count++] = datum[first + i];
    }
    first = 0;
  }
  if constexpr (kOnlyNotes<C>) output_.note_row_flow(input_, index, mapping_, l1_datum_bytes());
  if (!output_.append(&code[first], &datum[first], count)) return false;
  const bool each_row = insn_.row_pad_zero() < 4;
  return !each_row || !pads_now() || pad_to_sixteen(count);
}

/// RowPadZero: 1 always, 2 at the end of a row (Concat clear), 3 at the end of a tile.
template <class C>
bool Pacr<C>::pads_now() const {
  switch (insn_.row_pad_zero() & 3) {
    case 1:
      return true;
    case 2:
      return insn_.concat() == 0;
    case 3:
      return insn_.last() != 0;
    default:
      return false;
  }
}

/// Zeros behind `count` datums up to a multiple of 16.
template <class C>
bool Pacr<C>::pad_to_sixteen(u32 count) {
  const Row zero{};
  return output_.append(zero.data(), zero.data(), (kRow - count % kRow) % kRow);
}

/// No edge mask can touch a datum: all four masks let everything pass, or the row set names the
/// first for every row and that one does.
template <class C>
bool Pacr<C>::no_edge() const {
  if constexpr (kOnlyNotes<C>)
    return false;
  else
    return no_edge_in(context_.config());
}

template <class C>
bool Pacr<C>::no_edge_in(const ConfigWords& words) const {
  const u32* mask = &words[cfg::PCK_EDGE_OFFSET_SEC0_mask::kWord];
  if ((mask[0] & mask[1] & mask[2] & mask[3] & 0xFFFF) == 0xFFFF) return true;
  const u32 row_set = section_.row_set();
  return (mask[0] & 0xFFFF) == 0xFFFF &&
         cfg::PCK_EDGE_TILE_FACE_SET_SELECT_enable::get(words_) == 0 &&
         words_[cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0::kWord + row_set] == 0;
}

/// The same as `fetch` and `emit` for rows [first, end) at once. False: nothing was done.
template <class C>
bool Pacr<C>::emit_whole_rows(u32 first, u32 end) {
  if (kOnlyNotes<C> || input_.zero || input_.columns != kRow || first == end || !no_edge())
    return false;
  numeric::PackJob job;
  job.rows = end - first;
  job.relu = path_->relu.mode == 1;
  job.shift = path_->descale_shift;
  const numeric::ExponentField field = numeric::exponent_field(path_->early.code);
  job.exponent_mask = field.mask << field.shift;
  const DstRow invalid;
  const Dst& dst = context_.state.fpu.dst;
  for (u32 i = 0; i < job.rows; ++i) {
    const u32 row = mapping_.place(input_.row[first + i], path_->read_32b);
    const bool valid = dst.valid[row] != 0;
    job.high[i] = valid ? dst.row[row].datum.data() : invalid.datum.data();
    if (path_->read_32b) job.low[i] = valid ? dst.row[row + 8].datum.data() : invalid.datum.data();
  }
  u32 greatest;
  if (!output_.append_rows(job, job.rows, greatest)) return false;
  packer_.max_exponent = std::max(packer_.max_exponent, static_cast<u8>(field.of(greatest)));
  advance_position(job.rows);
  return true;
}

template <class C>
bool Pacr<C>::begin() {
  using namespace footprint_cell;
  constexpr u32 kResetContext = 2;
  if (insn_.ctxt_ctrl() == kResetContext) {
    note(Access::Write, TrackedContext);
    packer_.context = packer_.context_planes = 0;
    return false;
  }
  if (insn_.ctxt_ctrl() != 0 &&
      context_.raise(Rule::PackTrackedContext, fmt::format("CtxtCtrl {} with context {}",
                                                           insn_.ctxt_ctrl(), packer_.context)))
    return false;
  if (flush()) return true;
  if (!find_input()) return false;
  path_ = pack::find_path(context_, section_, input_.from_l1, own_path_);
  if (path_ == nullptr) return false;
  output_.use(*path_);
  if (!packer_.open) note_counters(1, {Y, Z, W});
  if (!output_.open(adc_) || !output_.begin_row()) return false;
  note(Access::ReadWrite, Position);
  if (!input_.zero && !input_.from_l1 && numeric::exponent_field(path_->early.code).mask != 0)
    note(Access::ReadWrite, Statistics);
  return true;
}

template <class C>
bool Pacr<C>::move_rows(u32 first, u32 end) {
  if (path_ != nullptr && path_->rows != nullptr && emit_whole_rows(first, end)) {
    if constexpr (std::is_same_v<C, Context>) pack::remember_whole_rows(context_, insn_, *path_);
    return true;
  }
  for (u32 i = first; i < end; ++i) {
    Row code;
    if (!fetch(i, code) || !emit(i, code)) return false;
  }
  return true;
}

template <class C>
bool Pacr<C>::finish() {
  using namespace footprint_cell;
  if (!flush()) {
    if (insn_.row_pad_zero() > 4 && pads_now() && !pad_to_sixteen(packer_.phase)) return false;
    if (insn_.concat() == 0 && !output_.end_row()) return false;
  } else {
    if (packer_.open && packer_.compressor.active) {
      path_ = pack::find_path(context_, section_, false, own_path_);
      if (path_ == nullptr) return false;
      output_.use(*path_);
    }
    note(packer_.open ? Access::ReadWrite : Access::Read, OpenTile);
  }
  if ((insn_.last() != 0 || flush()) && !output_.close(insn_.last() != 0)) return false;
  advance_context();
  return true;
}

template <class C>
void Pacr<C>::step_on() {
  using Modifier = thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr;
  const u32 modifier = context_.thread_config()[Modifier::kWord + insn_.addr_mode()];
  if constexpr (kOnlyNotes<C>)
    pack::note_advance_counters(context_, counter_thread(context_, insn_), modifier);
  else
    pack::advance_counters(adc_, modifier);
}

template <class C>
void Pacr<C>::run() {
  if (begin() && move_rows(0, input_.rows) && finish()) step_on();
}

template <class C>
bool Pacr<C>::resume(const PackFlight& flight) {
  input_ = flight.input;
  mapping_ = {flight.placed[0], flight.placed[1], flight.placed[2]};
  if (flush()) return true;
  path_ = pack::find_path(context_, section_, input_.from_l1, own_path_);
  if (path_ != nullptr) output_.use(*path_);
  return path_ != nullptr;
}

/// As many bytes as it will write make its window.
u32 bytes_moved(const Context& context, op::PACR insn) {
  Touches touches;
  const Footprint print(context.state, context.env, context.thread, context.word, touches);
  PackerState packer = context.state.packer;
  Pacr<Footprint>(print, insn, packer).run();
  return print.moved;
}

/// The rows go by later (pieces.hpp), and with the last of them the tile is closed.
void take_off(Context& context, op::PACR insn) {
  const u32 moved = bytes_moved(context, insn);
  Pacr<Context> pacr(context, insn, context.state.packer);
  if (!pacr.begin()) return;
  context.moved = moved;
  PackFlight& flight = context.state.flights.pack;
  flight.word = context.word;
  flight.thread = static_cast<u8>(context.thread);
  flight.origin = context.origin;
  flight.placed = pacr.placed();
  flight.input = pacr.input();
  flight.config = context.config();
  flight.pieces = {};
  flight.pieces.count = std::max(1u, flight.input.rows);
  pacr.step_on();
  context.pieces = &flight.pieces;
}

}  // namespace

void pack::land_piece(State& state, const Environment& env, Cycle now) {
  PackFlight& flight = state.flights.pack;
  LateContext context(Context{state, env, flight.thread, now, flight.word, nullptr, flight.origin},
                      flight.config);
  Pacr<LateContext> pacr(context, op::PACR{flight.word}, state.packer);
  const u32 first = flight.pieces.landed;
  const bool last = first + 1 == flight.pieces.count;
  context.quiet = true;
  bool landed = pacr.resume(flight);
  context.quiet = false;
  const PackerState before = env.watch == nullptr ? PackerState{} : state.packer;
  landed = landed && pacr.move_rows(first, std::min(first + 1, flight.input.rows));
  if (landed && last) pacr.finish();
  if (landed && env.watch != nullptr) [[unlikely]]
    tell_piece(context, flight, pacr.path(), before);
  if (landed && !last) return flight.pieces.land();
  flight = {};
}

Completion execute(Context& context, op::PACR insn) {
  if (lands_in_pieces(context.env)) [[unlikely]] {
    take_off(context, insn);
    return Completion::Done;
  }
  if (pack::pack_whole_rows(context, &insn.word, 1) == 0)
    Pacr<Context>(context, insn, context.state.packer).run();
  return Completion::Done;
}

void footprint(const Footprint& print, op::PACR insn) {
  PackerState packer = print.state.packer;
  Pacr<Footprint>(print, insn, packer).run();
  if (print.state.packer.open != packer.open) print.write(Space::Packer, footprint_cell::OpenTile);
  if (packer.random != print.state.packer.random) print.update(Space::Random, 1);
}

}  // namespace bhemu::tensix
