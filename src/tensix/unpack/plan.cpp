#include "tensix/unpack/plan.hpp"

#include <utility>

#include <fmt/format.h>

namespace bhemu::tensix::unpack {

using numeric::Format;

namespace {

/// The fields of the tile descriptor, which cfg_defines.h leaves unnamed (UNPACR_Regular.md), as
/// far as every UNPACR reads them.
struct Descriptor {
  u32 x = 0;
  u32 y = 0;
  u32 z = 1;
  u32 w = 1;
  u32 digest = 0;
};

template <class Words>
Descriptor read_descriptor(const Words& words, u32 first) {
  Descriptor d;
  d.y = word_bits(words, first + 1, 0, 8);
  d.z = word_bits(words, first + 1, 16, 8);
  d.w = word_bits(words, first + 2, 0, 8);
  if (d.z == 0) d.z = 1;
  if (d.w == 0) d.w = 1;
  d.digest = word_bits(words, first + 3, 24, 8);
  return d;
}

/// A bit that exists once for each of eight contexts: four in the low half, four in the high half.
template <class Words>
bool context_bit(const Words& words, u32 word, u32 low, u32 context) {
  return word_bits(words, word, low + (context & 3) + (context >= 4 ? 16 : 0), 1) != 0;
}

u64 round_up16(u64 bytes) {
  return (bytes + 15) & ~u64{15};
}

template <class C>
class Planner {
 public:
  Planner(const C& context, op::UNPACR insn, const Selection& select)
      : context_(context),
        insn_(insn),
        select_(select),
        words_(context.config()),
        section_(select.unpacker * kThconSection),
        unit_(select.unpacker == 0 ? AdcUnit::Unpacker0 : AdcUnit::Unpacker1),
        xy_(context.state.adc.of(select.xy_thread, unit_)),
        zw_(context.state.adc.of(context.thread, unit_)),
        descriptor_(read_descriptor(words_, descriptor_word(0))) {}

  bool make(Plan& plan);

 private:
  bool formats(Plan& plan);
  void sections(Plan& plan);
  bool plain_extent(Source& source);
  bool compressed_extent(Source& source);
  /// The plane of L1 that channel 0's Z and W name, in planes; of both only eight bits arrive here.
  u32 plane() const {
    return (zw_.channel[0].w & kAdcNarrow) * descriptor_.z + (zw_.channel[0].z & kAdcNarrow);
  }
  void rows(Source& source);
  bool destination(Plan& plan);
  bool check(const Plan& plan);
  bool read_row_start(u32 index, u32& value);
  bool raise(Rule rule, std::string text) { return context_.raise(rule, std::move(text)); }
  u32 field(u32 word, u32 low, u32 width) const {
    return word_bits(words_, word + section_, low, width);
  }
  u32 descriptor_word(u32 i) const {
    return cfg::THCON_SEC0_REG0_TileDescriptor::kWord + section_ + i;
  }
  u32 blobs() const { return word_bits(words_, descriptor_word(0), 8, 3); }
  u32 blobs_y_start() const {
    return word_bits(words_, descriptor_word(2), 16, 16) |
           word_bits(words_, descriptor_word(3), 0, 16) << 16;
  }
  void note_counters() const;

  const C& context_;
  op::UNPACR insn_;
  const Selection& select_;
  ConfigRef<C> words_;
  u32 section_;
  AdcUnit unit_;
  const Adc& xy_;
  const Adc& zw_;
  Descriptor descriptor_;
  u64 row_starts_ = 0;
  u64 exponents_ = 0;
  u64 datums_ = 0;
};

template <class C>
bool Planner<C>::formats(Plan& plan) {
  Source& source = plan.source;
  Target& target = plan.target;
  const u32 c = select_.context;
  source.compressed =
      !(select_.multi
            ? context_bit(words_,
                          cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0::kWord + section_, 0, c)
            : word_bits(words_, descriptor_word(0), 4, 1) != 0);
  descriptor_.x =
      select_.multi && select_.unpacker == 0
          ? field(cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0::kWord + (c & 3) / 2, (c & 1) * 16, 16)
          : word_bits(words_, descriptor_word(0), 16, 16);
  if (select_.multi && cfg::THCON_SEC0_REG2_Ovrd_data_format::get(words_, section_) != 0) {
    const u32 word = cfg::THCON_SEC0_REG7_Unpack_data_format_cntx0::kWord + (c & 3);
    const u32 low = c < 4 ? 16 : 24;
    source.format = numeric::format_of(field(word, low, 4));
    target.format = numeric::format_of(field(word, low + 4, 4));
  } else {
    source.format = numeric::format_of(word_bits(words_, descriptor_word(0), 0, 4));
    target.format = numeric::format_of(cfg::THCON_SEC0_REG2_Out_data_format::get(words_, section_));
  }
  if (select_.unpacker == 0) {
    target.to_dst = select_.multi
                        ? context_bit(words_, cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0::kWord, 4, c)
                        : cfg::THCON_SEC0_REG2_Unpack_If_Sel::get(words_) != 0;
  }
  source.datum_bits = numeric::bits_of(source.format);

  numeric::UnpackFlags& flags = source.flags;
  flags.fp8_e4m3 = cfg::THCON_SEC0_REG1_Unp_LF8_4b_exp::get(words_, section_) != 0;
  flags.int8_unsigned = select_.unpacker == 0
                            ? cfg::ALU_FORMAT_SPEC_REG0_SrcAUnsigned::get(words_) != 0
                            : cfg::ALU_FORMAT_SPEC_REG0_SrcBUnsigned::get(words_) != 0;
  plan.convert = numeric::unpack_row_to_src(source.format, target.format, flags);
  plan.rows = numeric::unpack_rows(source.format, target.format, flags);
  target.form = numeric::unpack_form_in_dst(source.format, target.format);
  const bool known =
      target.to_dst ? target.form != numeric::DstForm::Undefined : plan.convert != nullptr;
  if (known) return true;
  raise(Rule::UnpackFormatPair,
        fmt::format("UNPACR of unpacker {} from {} to {} into {}", select_.unpacker,
                    name_of(source.format), name_of(target.format), target.to_dst ? "Dst" : "Src"));
  return false;
}

/// Header, row starts, exponents and datums follow each other on 16-byte boundaries.
template <class C>
void Planner<C>::sections(Plan& plan) {
  Source& source = plan.source;
  const u32 c = select_.context;
  const u32 base = words_[cfg::THCON_SEC0_REG3_Base_address::kWord + section_ + c];
  const u32 offset = field(cfg::THCON_SEC0_REG7_Offset_address::kWord + (c & 3), 0, 16);
  plan.units = offset + 1 + descriptor_.digest;
  const u64 begin = u64{u32{base + plan.units}} * 16;
  u64 address = begin;
  if (source.compressed) {
    row_starts_ = address;
    const u32 rows = (blobs() != 0 ? blobs() : descriptor_.y) * descriptor_.z * descriptor_.w;
    address += round_up16(2 * (u64{rows} + 1));
  }
  source.forced_exponent = cfg::THCON_SEC0_REG2_Force_shared_exp::get(words_, section_) != 0;
  source.exponent_value =
      static_cast<u8>(select_.unpacker == 0 ? cfg::UNP0_FORCED_SHARED_EXP_shared_exp::get(words_)
                                            : cfg::UNP1_FORCED_SHARED_EXP_shared_exp::get(words_));
  if (numeric::is_bfp(source.format) && !source.forced_exponent) {
    exponents_ = address;
    const bool wide = source.format == Format::Bfp8 || source.format == Format::Bfp8a;
    if (wide || word_bits(words_, descriptor_word(0), 5, 1) == 0) {
      const u64 elements = u64{descriptor_.x} * descriptor_.y * descriptor_.z * descriptor_.w;
      address += round_up16((elements + 15) / 16);
    }
  }
  datums_ = address;
  plan.shape = {descriptor_.x, descriptor_.y, descriptor_.z};
  plan.exponents = exponents_ - begin;
  plan.datums = datums_ - begin;
  source.wrap.limit = u64{cfg::THCON_SEC0_REG2_Unpack_limit_address::get(words_, section_)} * 16;
  source.wrap.size = u64{cfg::THCON_SEC0_REG2_Unpack_fifo_size::get(words_, section_)} * 16;
  // Context 1 may have a ring of its own (field comments of the LLK register headers).
  if (c == 1 && cfg::THCON_SEC0_REG10_Unpack_limit_address_en::get(words_, section_) != 0) {
    source.wrap.limit = u64{cfg::THCON_SEC0_REG10_Unpack_limit_address::get(words_, section_)} * 16;
    source.wrap.size = u64{cfg::THCON_SEC0_REG10_Unpack_fifo_size::get(words_, section_)} * 16;
  }
}

template <class C>
bool Planner<C>::plain_extent(Source& source) {
  const AdcChannel& start = xy_.channel[0];
  i64 x = start.x;
  u32 y = start.y;
  i64 end = i64{xy_.channel[1].x} + 1;
  if (insn_.row_search() != 0 && blobs() != 0) {
    const u32 starts = select_.multi && select_.unpacker == 0
                           ? words_[cfg::UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start::kWord +
                                    ((select_.context >> 1) & 1)]
                           : blobs_y_start();
    const u32 next = (start.x & 7) + 1;
    x = bits(starts, 4 * (start.y & 7), 4) * 16;
    y = 0;
    if (next == blobs()) {
      end = descriptor_.x & 0x1F0;
    } else if (next == 8) {
      // The ninth entry of eight.
      raise(Rule::UnpackUndocumented, "row search beyond the eight entries of BlobsYStart");
      return false;
    } else {
      end = bits(starts, 4 * next, 4) * 16;
    }
  } else if (insn_.row_search() != 0) {
    x = 0;
    end = xy_.channel[1].x;
  }
  if (end < x) {
    raise(Rule::UnpackDatumCount, fmt::format("UNPACR from datum {} to {}", x, end));
    return false;
  }
  const u64 row = u64{plane()} * descriptor_.y + y;
  const u64 first = row * descriptor_.x + static_cast<u64>(x);
  source.count = static_cast<u32>(end - x);
  source.data = datums_ * 8 + first * source.datum_bits;
  source.exponent = exponents_ * 16 + first;
  return true;
}

template <class C>
bool Planner<C>::read_row_start(u32 index, u32& value) {
  const u64 address = row_starts_ + 2 * u64{index};
  if (address + 2 > kL1Size) {
    raise(Rule::UnpackL1Range, fmt::format("row start index {} at {:#x}", index, address));
    return false;
  }
  note_read(context_, Space::L1, static_cast<u32>(address), 2);
  u16 entry;
  context_.l1().read(static_cast<u32>(address), &entry, 2);
  value = entry;
  return true;
}

template <class C>
bool Planner<C>::compressed_extent(Source& source) {
  const bool search = insn_.row_search() != 0;
  const AdcChannel& start = xy_.channel[0];
  const u32 y_dim = search && blobs() != 0 ? blobs() : descriptor_.y;
  const u32 row = plane() * y_dim;
  u32 first;
  u32 end;
  if (!read_row_start(row + (start.y & 0xFF), first)) return false;
  if (search) {
    if (!read_row_start(row + (start.x & 0xFF) + 1, end)) return false;
  } else if (start.x == 0 && xy_.channel[1].x == u32{descriptor_.x} - 1) {
    if (!read_row_start(row + (start.y & 0xFF) + 1, end)) return false;
  } else {
    const i64 emit = i64{xy_.channel[1].x} + 1 - i64{start.x};
    if (emit < 0) {
      raise(Rule::UnpackDatumCount, fmt::format("UNPACR of {} decompressed datums", emit));
      return false;
    }
    source.drop = start.x;
    source.emit = static_cast<u32>(emit);
    end = 0xFFFFFFFFu;
  }
  if (end < first) {
    raise(Rule::UnpackDatumCount, fmt::format("compressed row from datum {} to {}", first, end));
    return false;
  }
  source.count = end - first;
  // Groups: 32 datums, then 32 run lengths of 4 bits.
  const u64 group = datums_ * 8 + u64{first / 32} * (32 * source.datum_bits + 128);
  source.data = group + u64{first % 32} * source.datum_bits;
  source.delta = (group + 32 * source.datum_bits) / 4 + first % 32;
  source.exponent = exponents_ * 16 + first;
  return true;
}

template <class C>
void Planner<C>::rows(Source& source) {
  // 32 datums of 16 bits or more go into a tileize step on Blackhole (its vendor kernels tile
  // 8-bit datums another way); the Wormhole page has 16.
  source.row_datums = 16;
  source.row_step = u64{16} * source.datum_bits;
  if (cfg::THCON_SEC0_REG2_Tileize_mode::get(words_, section_) == 0) return;
  if (source.datum_bits >= 16) source.row_datums = 32;
  const u32 shifts = field(cfg::THCON_SEC0_REG2_Shift_amount_cntx0::kWord, 16, 12);
  source.row_step = u64{shifts} * 16 * 8;
}

template <class C>
bool Planner<C>::destination(Plan& plan) {
  Target& target = plan.target;
  const AdcChannel& out = zw_.channel[1];
  const u32 strides = select_.unpacker * 2;
  const u32 y_stride =
      word_bits(words_, cfg::UNP0_ADDR_CTRL_XY_REG_1_Xstride::kWord + strides, 16, 16);
  const u32 zw = words_[cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride::kWord + strides];
  const u32 base = select_.unpacker == 0 ? cfg::UNP0_ADDR_BASE_REG_1_Base::get(words_)
                                         : cfg::UNP1_ADDR_BASE_REG_1_Base::get(words_);
  const u32 bytes = base + out.y * y_stride + out.z * bits(zw, 0, 16) + out.w * bits(zw, 16, 16);
  const u32 size = numeric::address_bytes_of(target.format);
  if (bytes % size != 0 && raise(Rule::UnpackMisaligned,
                                 fmt::format("destination byte {} of {}-byte datums", bytes, size)))
    return false;
  target.position = bytes / size;
  if (select_.multi && select_.unpacker == 0) {
    const u32 c = select_.context & 3;
    const u32 address =
        word_bits(words_, cfg::THCON_SEC0_REG5_Dest_cntx0_address::kWord + c / 2, (c & 1) * 16, 16);
    const bool add =
        target.to_dst || cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr::get(words_) != 0;
    target.position = address + (add ? target.position : 0);
  }
  target.upsample = (1u << cfg::THCON_SEC0_REG2_Upsample_rate::get(words_, section_)) - 1;
  target.interleave = cfg::THCON_SEC0_REG2_Upsample_and_interleave::get(words_, section_) != 0;
  target.zero_write = insn_.zero_write2() != 0;
  target.broadcast = insn_.srcb_bcast() != 0;
  if (select_.unpacker == 0) {
    // Silicon ignores haloize on unpacker 1.
    target.haloize = cfg::THCON_SEC0_REG2_Haloize_mode::get(words_) != 0;
    if (cfg::THCON_SEC0_REG2_Tileize_mode::get(words_) == 0)
      target.column_shift =
          field(cfg::THCON_SEC0_REG2_Shift_amount_cntx0::kWord, 16 + 4 * (select_.context & 3), 4);
  }
  return true;
}

template <class C>
bool Planner<C>::check(const Plan& plan) {
  const Source& source = plan.source;
  const Target& target = plan.target;
  const bool tileize = cfg::THCON_SEC0_REG2_Tileize_mode::get(words_, section_) != 0;
  if ((target.haloize || tileize) && source.data % 128 != 0 &&
      raise(Rule::UnpackMisaligned,
            fmt::format("haloize or tileize from bit address {:#x}", source.data)))
    return false;
  if (tileize && (source.compressed || target.upsample != 0 || source.datum_bits < 8) &&
      raise(Rule::UnpackModeClash,
            "tileize with compressed input, upsampling or datums of less than a byte"))
    return false;
  if (target.to_dst && (target.haloize || target.column_shift != 0) &&
      raise(Rule::UnpackModeClash, "haloize or a column shift with Dst as the destination"))
    return false;
  // The first row goes into the eight rows of its aligned group. Only that much is said of
  // srcb_bcast: one whole or partial row, plain, from a row that begins such a group.
  const bool one_row = target.position % numeric::kRow + source.count <= numeric::kRow &&
                       target.position / numeric::kRow % 8 == 0 && !source.compressed &&
                       target.upsample == 0;
  if (target.broadcast && (select_.unpacker == 0 || !one_row) &&
      raise(Rule::UnpackUndocumented,
            fmt::format("srcb_bcast of {} datums to position {}", source.count, target.position)))
    return false;
  const bool by_address = thread_cfg::SRCA_SET_SetOvrdWithAddr::get(context_.thread_config()) != 0;
  if (target.to_dst && by_address &&
      raise(Rule::UnpackModeClash, "SRCA_SET_SetOvrdWithAddr with Dst as the destination"))
    return false;
  return true;
}

/// The counters that address rows: which of them are read does not depend on much.
template <class C>
void Planner<C>::note_counters() const {
  using namespace footprint_cell;
  const auto note = [&](u32 thread, u32 channel, std::initializer_list<u32> counters) {
    for (const u32 counter : counters)
      note_read(context_, Space::Adc, adc(thread, select_.unpacker, channel, counter));
  };
  note(select_.xy_thread, 0, {X, Y});
  note(select_.xy_thread, 1, {X});
  note(context_.thread, 0, {Z, W});
  note(context_.thread, 1, {Y, Z, W});
}

template <class C>
bool Planner<C>::make(Plan& plan) {
  plan.select = select_;
  if constexpr (kOnlyNotes<C>) note_counters();
  if (!formats(plan)) return false;
  Source& source = plan.source;
  sections(plan);
  if (!(source.compressed ? compressed_extent(source) : plain_extent(source))) return false;
  rows(source);
  if (!destination(plan) || !check(plan)) return false;
  const Wrap wrap = source.wrap;
  if (source.data / 8 > wrap.limit) source.data -= wrap.size * 8;
  if (source.exponent / 16 > wrap.limit) source.exponent -= wrap.size * 16;
  if (source.delta / 2 > wrap.limit) source.delta -= wrap.size * 2;
  return true;
}

}  // namespace

template <class C>
bool select_context(const C& context, op::UNPACR insn, Selection& select) {
  select.unpacker = insn.unpack_block_selection();
  select.multi = insn.ovrd_thread_id() != 0;
  select.xy_thread = context.thread;
  if (!select.multi) return true;
  const auto& thread = context.thread_config();
  const u32 offset = select.unpacker == 0
                         ? thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0::get(thread)
                         : thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_1::get(thread);
  if (insn.auto_inc_context_id() != 0)
    note_read(context, Space::Unpacker,
              select.unpacker * footprint_cell::kUnpackerCells + footprint_cell::Context0 +
                  context.thread);
  const u32 counter = context.state.unpacker[select.unpacker].context[context.thread];
  select.context =
      ((insn.auto_inc_context_id() != 0 ? counter : insn.cfg_context_id()) + offset) & 7;
  select.xy_thread = insn.addr_cnt_context_id();
  if ((select.unpacker == 1 && select.context >= 2) || select.xy_thread == 3) {
    context.raise(Rule::UnpackContext,
                  fmt::format("UNPACR of unpacker {} with context {} and counters of thread {}",
                              select.unpacker, select.context, select.xy_thread));
    return false;
  }
  return true;
}

template <class C>
bool make_plan(const C& context, op::UNPACR insn, const Selection& select, Plan& plan) {
  return Planner<C>(context, insn, select).make(plan);
}

template bool select_context(const Context&, op::UNPACR, Selection&);
template bool select_context(const Footprint&, op::UNPACR, Selection&);
template bool make_plan(const Context&, op::UNPACR, const Selection&, Plan&);
template bool make_plan(const Footprint&, op::UNPACR, const Selection&, Plan&);

}  // namespace bhemu::tensix::unpack
