// PACR: rows of Dst (or datums of L1) through the packer's pipeline into L1.
//
// Documents: tt-isa-documentation BlackholeA0 PACR.md (read interfaces, tile position),
// WormholeB0 Packers/InputAddressGenerator.md, EdgeMasking.md, ExponentHistogram.md,
// ExponentThresholding.md, Downsampling.md.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "tensix/fpu/dst_access.hpp"
#include "tensix/pack/output.hpp"

namespace bhemu::tensix {
namespace {

using numeric::kRow;
using Row = std::array<u32, kRow>;

/// Read interfaces onto Dst.
constexpr unsigned kPackInterfaces = 4;

/// Where the datums of one PACR come from: up to four rows, the same columns of each.
struct Input {
  bool zero = false;  // constant 0 instead of Dst
  bool from_l1 = false;
  u32 l1_address = 0;
  u32 rows = 0;
  std::array<u32, kPackInterfaces> row{};
  u32 column = 0;   // first column
  u32 columns = 0;  // datums per row
};

class Pacr {
 public:
  Pacr(Context& context, op::PACR insn)
      : context_(context),
        insn_(insn),
        words_(context.config()),
        packer_(context.state.packer),
        adc_(context.state.adc.of(counter_thread(context, insn), AdcUnit::Packer)),
        output_(context),
        dst_(context.state) {}

  void run();

 private:
  static unsigned counter_thread(const Context& context, op::PACR insn) {
    if (insn.ovrd_thread_id() == 0) return context.thread;
    const unsigned thread = insn.addr_cnt_context();
    return thread == 3 ? 0 : thread;
  }
  bool flush() const { return insn_.flush() != 0; }

  bool find_input();
  bool find_rows(u32 start_row);
  u32 interfaces();
  bool fetch(u32 index, Row& code);
  bool apply_edge_mask(Row& code);
  u32 edge_mask() const;
  bool no_edge() const;
  bool emit_whole_rows();
  void advance_position(u32 rows = 1);
  void update_statistics(const Row& code);
  void apply_threshold(Row& code) const;
  bool emit(u32 index, Row& code);
  void advance_counters();

  Context& context_;
  op::PACR insn_;
  const ConfigWords& words_;
  PackerState& packer_;
  Adc& adc_;
  std::optional<pack::Path> own_path_;
  const pack::Path* path_ = nullptr;
  pack::Output output_;
  DstAccess dst_;
  Input input_;
};

/// The mask of read interfaces; 0 stands for all four. With Auto_set_last_pacr_intf_sel the last
/// PACR of a plane reads only the rows that are left.
u32 Pacr::interfaces() {
  const u32 selected = insn_.read_intf_sel() == 0 ? 0xF : insn_.read_intf_sel();
  if (cfg::THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel::get(words_) == 0) return selected;
  const u32 reads = cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane::get(words_);
  const u32 position = packer_.open ? packer_.y : 0;
  const u32 left = reads > position ? reads - position : kPackInterfaces;
  if (left >= static_cast<u32>(std::popcount(selected))) return selected;
  return (1u << left) - 1;
}

bool Pacr::find_rows(u32 start_row) {
  const u32 mask = interfaces();
  if (insn_.dst_access_mode() != 0) {
    const bool placed = dst_.mapping().remap && dst_.mapping().swizzle;
    const bool known = mask == 0xF || mask == 0x3 || mask == 0x1;
    if ((!placed || !known) &&
        context_.raise(Rule::PackStrided,
                       fmt::format("strided PACR with interfaces {:#x}, remap {}, swizzle {}", mask,
                                   dst_.mapping().remap, dst_.mapping().swizzle)))
      return false;
  } else if ((mask << (start_row & 3)) > 0xF &&
             context_.raise(
                 Rule::PackInterfaces,
                 fmt::format("PACR from row {} with interfaces {:#x}", start_row, mask))) {
    return false;
  }
  const u32 stride = insn_.dst_access_mode() != 0 ? 16 : 1;
  for (u32 i = 0; i < kPackInterfaces; ++i)
    if (bit(mask, i)) input_.row[input_.rows++] = (start_row + i * stride) & 0x3FF;
  return true;
}

bool Pacr::find_input() {
  const AdcChannel& in = adc_.channel[0];
  const u32 bytes = numeric::address_bytes_of(
      numeric::format_of(cfg::THCON_SEC0_REG1_In_data_format::get(words_)));
  const u32 size = static_cast<u32>(std::countr_zero(bytes));  // 1, 2 or 4 bytes
  const u32 x_mask = (kRow >> size) - 1;
  const u32 address = cfg::PCK0_ADDR_BASE_REG_0_Base::get(words_) +
                      in.x * (cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride::get(words_) & 0xF) +
                      in.y * cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride::get(words_) +
                      in.z * cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride::get(words_) +
                      in.w * cfg::PCK0_ADDR_CTRL_ZW_REG_0_Wstride::get(words_);
  const u32 offset = cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset::get(words_);
  const u32 start = (((address >> size & ~x_mask) | (in.x & x_mask)) + offset * kRow) & 0x3FFF;
  const i64 columns = i64{adc_.channel[1].x} - i64{in.x} + 1;
  input_.zero = insn_.zero_write() != 0;
  input_.from_l1 =
      !input_.zero && cfg::THCON_SEC0_REG1_Source_interface_selection::get(words_) != 0;
  input_.column = input_.from_l1 || input_.zero ? 0 : start % kRow;
  if (columns < 0 || input_.column + columns > kRow) {
    context_.raise(Rule::PackXRange,
                   fmt::format("PACR of {} datums from column {}", columns, input_.column));
    return false;
  }
  input_.columns = static_cast<u32>(columns);
  if (!input_.from_l1) return find_rows(start / kRow);

  const u32 high = cfg::THCON_SEC0_REG1_L1_source_addr::get(words_);
  const u32 low = (address & 0x3FFFFu & ~0xFu) | bytes * (in.x & x_mask);
  input_.l1_address = ((high << 18) + low) & 0x1FFFFF;
  input_.rows = 1;
  return interfaces() == 1 ||
         !context_.raise(Rule::PackUndocumented, "PACR from L1 with several Dst interfaces");
}

/// One row of codes, edge mask applied; the tile position moves on.
bool Pacr::fetch(u32 index, Row& code) {
  if (input_.zero) {
    code.fill(0);
    advance_position();
    return true;
  }
  Row stored{};
  if (input_.from_l1) {
    const u32 size = numeric::address_bytes_of(
        numeric::format_of(cfg::THCON_SEC0_REG1_In_data_format::get(words_)));
    if (!L1::contains(input_.l1_address, input_.columns * size)) {
      context_.raise(Rule::PackL1Range,
                     fmt::format("PACR reads {:#x}, {} datums", input_.l1_address, input_.columns));
      return false;
    }
    for (u32 i = 0; i < input_.columns; ++i)
      context_.l1().read(input_.l1_address + i * size, &stored[i], size);
    path_->early.row(stored.data(), 0, code.data());
    advance_position();
    return true;
  }
  if (path_->read_32b) {
    stored = dst_.read_row32(input_.row[index]);
  } else {
    const DstRow row = dst_.read_row16(input_.row[index]);
    std::copy(row.datum.begin(), row.datum.end(), stored.begin());
  }
  path_->early.row(stored.data(), path_->descale_shift, code.data());
  if (!apply_edge_mask(code)) return false;
  advance_position();
  return true;
}

u32 Pacr::edge_mask() const {
  u32 row_set = cfg::PCK_EDGE_TILE_ROW_SET_SELECT_select::get(words_) & 3;
  if (cfg::PCK_EDGE_TILE_FACE_SET_SELECT_enable::get(words_) != 0) {
    const u32 face_set = cfg::PCK_EDGE_TILE_FACE_SET_SELECT_select::get(words_) & 3;
    const u32 plane = (cfg::DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset::get(words_) + packer_.z) & 15;
    const u32 map = words_[cfg::TILE_FACE_SET_MAPPING_0_face_set_mapping_0::kWord + face_set];
    row_set = bits(map, 2 * plane, 2);
  }
  const u32 map = words_[cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0::kWord + row_set];
  const u32 section = bits(map, 2 * (packer_.y & 15), 2);
  return bits(words_[cfg::PCK_EDGE_OFFSET_SEC0_mask::kWord + section], 0, 16);
}

bool Pacr::apply_edge_mask(Row& code) {
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

/// TilePosition is an 8-bit counter of rows that starts over only when it lands exactly on the
/// rows of a plane.
void Pacr::advance_position(u32 rows) {
  const u32 reads = cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane::get(words_);
  const bool transposed = cfg::PACK_COUNTERS_SEC0_pack_yz_transposed::get(words_) != 0;
  u8& inner = transposed ? packer_.z : packer_.y;
  u8& outer = transposed ? packer_.y : packer_.z;
  if (inner + rows < reads) {
    inner = static_cast<u8>(inner + rows);
    return;
  }
  for (u32 i = 0; i < rows; ++i) {
    if (++inner != reads) continue;
    inner = 0;
    ++outer;
  }
}

void Pacr::update_statistics(const Row& code) {
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

void Pacr::apply_threshold(Row& code) const {
  const numeric::ExponentField field = numeric::exponent_field(path_->early.code);
  for (u32& value : code)
    if (field.of(value) < path_->threshold) value = 0;
}

bool Pacr::emit(u32 index, Row& code) {
  if (!input_.from_l1) numeric::relu_row(path_->early.code, path_->relu, code.data(), kRow);
  if (!input_.zero && !input_.from_l1) update_statistics(code);
  if (path_->threshold_on) apply_threshold(code);
  Row datum;
  path_->late(code.data(), datum.data());
  const u32* selected = &datum[input_.column];
  if (path_->downsample == 0xFFFF) return output_.append(selected, input_.columns);
  Row kept;
  u32 count = 0;
  for (u32 i = 0; i < input_.columns; ++i)
    if (bit(path_->downsample, (index * input_.columns + i) % 16)) kept[count++] = selected[i];
  return output_.append(kept.data(), count);
}

/// No edge mask can touch a datum: all four masks let everything pass, or the row set names the
/// first for every row and that one does.
bool Pacr::no_edge() const {
  const u32* mask = &words_[cfg::PCK_EDGE_OFFSET_SEC0_mask::kWord];
  if ((mask[0] & mask[1] & mask[2] & mask[3] & 0xFFFF) == 0xFFFF) return true;
  const u32 row_set = cfg::PCK_EDGE_TILE_ROW_SET_SELECT_select::get(words_) & 3;
  return (mask[0] & 0xFFFF) == 0xFFFF &&
         cfg::PCK_EDGE_TILE_FACE_SET_SELECT_enable::get(words_) == 0 &&
         words_[cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0::kWord + row_set] == 0;
}

/// The same as `fetch` and `emit` for all rows at once. False: nothing was done.
bool Pacr::emit_whole_rows() {
  if (input_.zero || input_.columns != kRow || input_.rows == 0 || !no_edge()) return false;
  numeric::PackJob job;
  job.rows = input_.rows;
  job.relu = path_->relu.mode == 1;
  const DstRow invalid;
  const Dst& dst = context_.state.fpu.dst;
  for (u32 i = 0; i < input_.rows; ++i) {
    const u32 row =
        path_->read_32b ? dst_.physical32(input_.row[i]) : dst_.physical16(input_.row[i]);
    const bool valid = dst.valid[row] != 0;
    job.high[i] = valid ? dst.row[row].datum.data() : invalid.datum.data();
    if (path_->read_32b) job.low[i] = valid ? dst.row[row + 8].datum.data() : invalid.datum.data();
  }
  u32 greatest;
  if (!output_.append_rows(job, greatest)) return false;
  packer_.max_exponent = std::max(packer_.max_exponent, static_cast<u8>(greatest));
  advance_position(input_.rows);
  return true;
}

void Pacr::advance_counters() {
  using Modifier = thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr;
  const u32 m = context_.thread_config()[Modifier::kWord + insn_.addr_mode()];
  const auto advance_y = [](AdcChannel& channel, u32 increment, bool carry, bool clear) {
    if (clear) {
      channel.y = channel.y_cr = 0;
    } else if (carry) {
      channel.y_cr = static_cast<u16>((channel.y_cr + increment) & kAdcMaskY);
      channel.y = channel.y_cr;
    } else {
      channel.y = static_cast<u16>((channel.y + increment) & kAdcMaskY);
    }
  };
  const auto advance_z = [](AdcChannel& channel, u32 increment, bool clear) {
    channel.z = clear ? u8{0} : static_cast<u8>(channel.z + increment);
    if (clear) channel.z_cr = 0;
  };
  advance_y(adc_.channel[0], bits(m, 0, 4), bit(m, 4), bit(m, 5));
  advance_y(adc_.channel[1], bits(m, 6, 4), bit(m, 10), bit(m, 11));
  advance_z(adc_.channel[0], bits(m, 12, 1), bit(m, 13));
  advance_z(adc_.channel[1], bits(m, 14, 1), bit(m, 15));
}

void Pacr::run() {
  if (!flush()) {
    if (!find_input()) return;
    path_ = pack::find_path(context_, insn_, input_.from_l1, own_path_);
    if (path_ == nullptr) return;
    output_.use(*path_);
    if (!output_.open(adc_)) return;
    const bool done = path_->rows != nullptr && emit_whole_rows();
    for (u32 i = 0; i < input_.rows && !done; ++i) {
      Row code;
      if (!fetch(i, code) || !emit(i, code)) return;
    }
  }
  if ((insn_.last() != 0 || flush()) && !output_.close(insn_.last() != 0)) return;
  advance_counters();
}

}  // namespace

Completion execute(Context& context, op::PACR insn) {
  Pacr(context, insn).run();
  return Completion::Done;
}

}  // namespace bhemu::tensix
