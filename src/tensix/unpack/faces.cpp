#include "tensix/unpack/faces.hpp"

#include "tensix/data_paths.hpp"
#include "tensix/handover.hpp"
#include "tensix/unpack/transfer.hpp"

namespace bhemu::tensix::unpack {
namespace {

using numeric::kRow;

/// Bytes [first, end) of L1, none of which is beyond the limit where addresses step back.
bool lies_straight(const Wrap& wrap, u64 first, u64 end) {
  return end <= kL1Size && (wrap.size == 0 || (first <= wrap.limit && end <= wrap.limit));
}

/// The datum of the tile that channel 0 names.
u64 first_datum(const TileShape& shape, const Adc& xy, const Adc& zw) {
  const AdcChannel& in = zw.channel[0];
  const u32 plane = (in.w & kAdcNarrow) * shape.z + (in.z & kAdcNarrow);
  return (u64{plane} * shape.y + xy.channel[0].y) * shape.x + xy.channel[0].x;
}

/// The first row of the bank. False: not whole rows one after the other, or a fault.
bool first_row(const Context& context, const Face& known, const Selection& select, const Adc& zw,
               u32 rows, u32& row) {
  const AdcChannel& out = zw.channel[1];
  const u32 bytes =
      known.base + out.y * known.y_stride + out.z * known.z_stride + out.w * known.w_stride;
  if (bytes % known.size != 0) return false;
  const u32 position = known.context_address + (known.adds_counters ? bytes / known.size : 0);
  if (position % kRow != 0) return false;
  row = position / kRow;
  if (select.unpacker == 0) {
    if (row < 4) return false;
    row -= 4;
    const bool by_address = thread_cfg::SRCA_SET_SetOvrdWithAddr::get(context.thread_config()) != 0;
    if (!by_address && row + rows > 16) return false;
    if (rows > 1 && row % known.burst != 0) return false;
  }
  row = (row + context.state.unpacker[select.unpacker].src_row[context.thread]) & 63;
  return row + rows <= kSrcRows;
}

}  // namespace

void remember_face(const Context& context, op::UNPACR insn, const Plan& plan) {
  DataPaths* paths = context.env.paths;
  const Source& source = plan.source;
  const Target& target = plan.target;
  const bool steps = source.row_step != u64{source.row_datums} * source.datum_bits;
  if (paths == nullptr || plan.rows == nullptr || plan.convert == nullptr || steps ||
      source.compressed || insn.row_search() != 0 || target.to_dst || target.haloize ||
      target.column_shift != 0 || target.upsample != 0 || target.zero_write || target.broadcast)
    return;
  const u32 unpacker = plan.select.unpacker;
  const ConfigWords& words = context.config();
  Face& known = paths->faces.of(insn.word, plan.select.context);
  known.settings = paths->settings();
  known.config = &words;
  known.word = insn.word;
  known.thread = static_cast<u8>(context.thread);
  known.context = static_cast<u8>(plan.select.context);
  known.rows = plan.rows;
  known.bfp = numeric::is_bfp(source.format);
  known.forced_exponent = source.forced_exponent;
  known.exponent_value = source.exponent_value;
  known.format = target.format;
  known.datum_bits = source.datum_bits;
  known.shape = plan.shape;
  known.units = plan.units;
  known.exponents = plan.exponents;
  known.datums = plan.datums;
  known.wrap = source.wrap;
  known.burst = burst_rows(words, plan);
  const u32 strides = unpacker * (cfg::UNP1_ADDR_CTRL_XY_REG_1_Xstride::kWord -
                                  cfg::UNP0_ADDR_CTRL_XY_REG_1_Xstride::kWord);
  known.base = unpacker == 0 ? cfg::UNP0_ADDR_BASE_REG_1_Base::get(words)
                             : cfg::UNP1_ADDR_BASE_REG_1_Base::get(words);
  known.y_stride = cfg::UNP0_ADDR_CTRL_XY_REG_1_Ystride::get(words, strides);
  known.z_stride = cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride::get(words, strides);
  known.w_stride = cfg::UNP0_ADDR_CTRL_ZW_REG_1_Wstride::get(words, strides);
  known.size = numeric::address_bytes_of(target.format);
  known.context_address = 0;
  known.adds_counters = true;
  if (!plan.select.multi || unpacker != 0) return;
  const u32 c = plan.select.context & 3;
  known.context_address =
      word_bits(words, cfg::THCON_SEC0_REG5_Dest_cntx0_address::kWord + c / 2, (c & 1) * 16, 16);
  known.adds_counters = cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr::get(words) != 0;
}

bool unpack_face(const Context& context, op::UNPACR insn, const Selection& select, Plan& plan) {
  DataPaths* paths = context.env.paths;
  if (paths == nullptr) return false;
  const Face& known = paths->faces.of(insn.word, select.context);
  const ConfigWords& words = context.config();
  if (known.settings != paths->settings() || known.config != &words || known.word != insn.word ||
      known.thread != context.thread || known.context != select.context)
    return false;
  const u32 unpacker = select.unpacker;

  const AdcUnit unit = unpacker == 0 ? AdcUnit::Unpacker0 : AdcUnit::Unpacker1;
  const Adc& xy = context.state.adc.of(select.xy_thread, unit);
  const Adc& zw = context.state.adc.of(context.thread, unit);
  const u32 count = xy.channel[1].x + 1 - xy.channel[0].x;
  if (xy.channel[0].x > xy.channel[1].x || count % kRow != 0 || count > kSrcRows * kRow)
    return false;
  const u32 rows = count / kRow;
  u32 row;
  if (!first_row(context, known, select, zw, rows, row)) return false;

  const u64 first = first_datum(known.shape, xy, zw);
  const u32 base =
      words[cfg::THCON_SEC0_REG3_Base_address::kWord + unpacker * kThconSection + select.context];
  const u64 tile = u64{u32{base + known.units}} * 16;
  const u64 bit_address = (tile + known.datums) * 8 + first * known.datum_bits;
  const u64 begin = bit_address / 8;
  const u64 end = begin + u64{count} * known.datum_bits / 8;
  if (bit_address % 8 != 0 || !lies_straight(known.wrap, begin, end)) return false;
  const u8* memory = context.l1().data();
  std::array<u8, kSrcRows> forced;
  const u8* exponent = nullptr;
  if (known.bfp && known.forced_exponent) {
    std::memset(forced.data(), known.exponent_value, rows);
    exponent = forced.data();
  } else if (known.bfp) {
    const u64 at = tile + known.exponents + first / kRow;
    if (first % kRow != 0 || !lies_straight(known.wrap, at, at + rows)) return false;
    exponent = memory + at;
  }

  SrcFile& file = src_file(context.state, unpacker);
  known.rows(memory + begin, exponent, rows, file.bank[file.unpack_bank][row].datum.data());
  plan.select = select;
  plan.target.format = known.format;
  context.moved = count * known.datum_bits / 8;
  return true;
}

}  // namespace bhemu::tensix::unpack
