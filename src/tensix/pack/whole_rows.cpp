#include "tensix/pack/whole_rows.hpp"

#include <bit>
#include <cstring>

#include "tensix/data_paths.hpp"
#include "tensix/pack/output.hpp"

namespace bhemu::tensix::pack {
namespace {

using numeric::kRow;

/// Bits of the instruction that are looked at each time: Last, Concat, AddrMode.
constexpr u32 kDiffers = 1u << 0 | 1u << 4 | 3u << 15;

bool counts_statistics(const State& state) {
  for (unsigned thread = 0; thread < kThreads; ++thread)
    if (thread_cfg::ENABLE_ACC_STATS_Enable::get(state.thread_config(thread)) != 0) return true;
  return false;
}

bool still_good(const Context& context, const WholeRows& known) {
  return known.settings == context.env.paths->settings() && known.config == &context.config() &&
         !counts_statistics(context.state);
}

/// The counters of X are where whole rows have them; a PACR does not move them.
bool takes_rows(const Adc& adc) {
  return adc.channel[0].x == 0 && adc.channel[1].x == kRow - 1;
}

u32 address_of(const WholeRows& known, const Adc& adc) {
  const AdcChannel& in = adc.channel[0];
  return known.base + in.y * known.y_stride + in.z * known.z_stride + in.w * known.w_stride;
}

/// What `address_of` is after the PACR whose address modifier `m` is, which this executes.
u32 step_on(const WholeRows& known, Adc& adc, u32 m, u32 address) {
  const bool adds = m < 16 && adc.channel[0].y + m <= kAdcMaskY;
  advance_counters(adc, m);
  return adds ? address + m * known.y_stride : address_of(known, adc);
}

/// The first row of Dst at that address. False: it is in the middle of a row.
bool row_at(const WholeRows& known, u32 address, u32 offset, u32& row) {
  const u32 x_mask = (kRow >> known.size) - 1;
  const u32 start = ((address >> known.size & ~x_mask) + offset) & 0x3FFF;
  row = start / kRow;
  return start % kRow == 0 && known.interfaces << (row & 3) <= 0xF;
}

/// How many instructions from `word` on are alike and take rows of Dst that follow one another,
/// four each; the first takes those from `row` on, and their address modifier is `m`.
u32 alike(const WholeRows& known, const Adc& adc, u32 m, u32 row, const u32* word, u32 count) {
  constexpr u32 kFour = 4;
  if (m >= 16 || m * known.y_stride != kFour * kRow << known.size || op::PACR{*word}.last() != 0)
    return 1;
  u32 same = 1;
  while (same < count && word[same] == *word) ++same;
  const bool wraps = adc.channel[0].y + same * m > kAdcMaskY || row + kFour * same > kDstRows;
  return wraps ? 1 : same;
}

/// The rows that instructions take, one after the other, for a kernel.
class RowList {
 public:
  RowList(const WholeRows& known, const Dst& dst)
      : known_(known),
        dst_(dst),
        in_place_(!known.path.read_32b && !known.mapping.remap && !known.mapping.high_halves),
        whole_(in_place_ && known.interfaces == 0xF) {
    job.straight = true;
  }

  /// Adds the rows that a PACR from `row` on takes.
  void add(u32 row) {
    if (whole_ && all_valid(row)) {
      if (job.rows == 0) job.high[0] = dst_.row[row].datum.data();
      const bool follows = dst_.row[row].datum.data() == job.high[0] + u64{job.rows} * kRow;
      if (!follows) name_each();
      if (!job.straight)
        for (u32 i = 0; i < 4; ++i) job.high[job.rows + i] = dst_.row[row + i].datum.data();
      job.rows += 4;
    } else {
      name_each();
      add_single(row);
    }
  }

  /// Likewise those that `count` PACRs take of rows that follow one another. False: nothing was
  /// added, they are not as most are.
  bool add_together(u32 row, u32 count) {
    static constexpr auto kValid = [] {
      std::array<u8, numeric::PackJob::kRows> valid;
      valid.fill(1);
      return valid;
    }();
    const u16* const first = dst_.row[row].datum.data();
    if (!whole_ || !job.straight || std::memcmp(&dst_.valid[row], kValid.data(), 4 * count) != 0)
      return false;
    if (job.rows == 0) job.high[0] = first;
    if (job.high[0] + u64{job.rows} * kRow != first) return false;
    job.rows += 4 * count;
    return true;
  }

  numeric::PackJob job;

 private:
  bool all_valid(u32 row) const {
    u32 flags;
    std::memcpy(&flags, &dst_.valid[row], sizeof flags);
    return flags == 0x01010101;
  }
  /// They do not lie one after the other any more.
  void name_each() {
    if (!job.straight) return;
    for (u32 i = 1; i < job.rows; ++i) job.high[i] = job.high[0] + u64{i} * kRow;
    job.straight = false;
  }
  void add_single(u32 row);

  const WholeRows& known_;
  const Dst& dst_;
  bool in_place_;  // rows of the 16-bit view are where their numbers say
  bool whole_;     // and an instruction takes four of them
};

void RowList::add_single(u32 row) {
  static constexpr DstRow kInvalid{};
  const DstMapping mapping = known_.mapping;
  const bool wide = known_.path.read_32b;
  for (u32 left = known_.interfaces; left != 0; left &= left - 1) {
    const u32 wanted = (row + static_cast<u32>(std::countr_zero(left))) & 0x3FF;
    const u32 p = in_place_ ? wanted : wide ? mapping.adj32(wanted) : mapping.row16(wanted);
    const bool valid = dst_.valid[p] != 0;
    job.high[job.rows] = (valid ? dst_.row[p] : kInvalid).datum.data();
    if (wide) job.low[job.rows] = (valid ? dst_.row[p + 8] : kInvalid).datum.data();
    ++job.rows;
  }
}

/// The next `count` instructions of `each` rows write whole blocks, and nobody has to be told
/// before they do.
bool goes_together(const Context& context, const WholeRows& known, u32 each, u32 count) {
  const PackerState& packer = context.state.packer;
  const u32 rows = each * count;
  const u32 bytes = rows * kRow * numeric::bits_of(known.path.out) / 8;
  if (packer.data.fill != 0 || bytes / count % 16 != 0) return false;
  const auto unseen = [&](const PackStream& stream, u32 count) {
    return L1::contains(stream.address, count) && context.l1().flags_in(stream.address, count) == 0;
  };
  constexpr u32 kBlocks = 2 * 16;  // that is left of before, and that the end of a tile fills
  if (!unseen(packer.data, bytes + kBlocks)) return false;
  return !numeric::is_bfp(known.path.out) || unseen(packer.exponents, rows + kBlocks);
}

}  // namespace

void advance_counters(Adc& adc, u32 m) {
  if (m < 16) {
    adc.channel[0].y = static_cast<u16>((adc.channel[0].y + m) & kAdcMaskY);
    return;
  }
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
    channel.z = clear ? u16{0} : static_cast<u16>((channel.z + increment) & kAdcMaskZ);
    if (clear) channel.z_cr = 0;
  };
  advance_y(adc.channel[0], bits(m, 0, 4), bit(m, 4), bit(m, 5));
  if (m >> 6 == 0) return;
  advance_y(adc.channel[1], bits(m, 6, 4), bit(m, 10), bit(m, 11));
  advance_z(adc.channel[0], bits(m, 12, 1), bit(m, 13));
  advance_z(adc.channel[1], bits(m, 14, 1), bit(m, 15));
}

void note_advance_counters(const Footprint& print, unsigned thread, u32 m) {
  using namespace footprint_cell;
  const auto cell = [&](u32 channel, u32 counter) {
    return adc(thread, static_cast<u32>(AdcUnit::Packer), channel, counter);
  };
  const auto note_y = [&](u32 channel, u32 increment, bool carry, bool clear) {
    if (clear) return print.write(Space::Adc, cell(channel, Y), 2);
    if (!carry && increment != 0) print.update(Space::Adc, cell(channel, Y));
    if (!carry) return;
    print.write(Space::Adc, cell(channel, Y));
    print.update(Space::Adc, cell(channel, YCr));
  };
  const auto note_z = [&](u32 channel, u32 increment, bool clear) {
    if (clear) return print.write(Space::Adc, cell(channel, Z), 2);
    if (increment != 0) print.update(Space::Adc, cell(channel, Z));
  };
  note_y(0, bits(m, 0, 4), bit(m, 4), bit(m, 5));
  note_y(1, bits(m, 6, 4), bit(m, 10), bit(m, 11));
  note_z(0, bits(m, 12, 1), bit(m, 13));
  note_z(1, bits(m, 14, 1), bit(m, 15));
}

void remember_whole_rows(const Context& context, op::PACR insn, const Path& path) {
  DataPaths* paths = context.env.paths;
  const ConfigWords& words = context.config();
  const Section section{words, 0};
  // Only what find_path holds to be certain, and none of the instruction's other ways.
  if (paths == nullptr || &path != &paths->pack.path || insn.ctxt_ctrl() != 0 ||
      insn.flush() != 0 || insn.ovrd_thread_id() != 0 || insn.zero_write() != 0 ||
      insn.dst_access_mode() != 0 || insn.row_pad_zero() != 0 || insn.cfg_context() != 0 ||
      section.get<cfg::THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel>() != 0)
    return;
  WholeRows& known = paths->whole_rows;
  known.key = insn.word & ~kDiffers;
  known.settings = paths->settings();
  known.config = &words;
  known.path = path;
  known.mapping = DstAccess::mapping_of(context.state);
  known.base = cfg::PCK0_ADDR_BASE_REG_0_Base::get(words);
  known.y_stride = cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride::get(words);
  known.z_stride = cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride::get(words);
  known.w_stride = cfg::PCK0_ADDR_CTRL_ZW_REG_0_Wstride::get(words);
  known.size = static_cast<u32>(std::countr_zero(numeric::address_bytes_of(
      numeric::format_of(section.get<cfg::THCON_SEC0_REG1_In_data_format>()))));
  known.interfaces = insn.read_intf_sel() == 0 ? 0xF : insn.read_intf_sel();
  known.each = static_cast<u32>(std::popcount(known.interfaces));
  known.reads = section.counter<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>();
  known.transposed = section.counter<cfg::PACK_COUNTERS_SEC0_pack_yz_transposed>() != 0;
  known.exponent = numeric::exponent_field(path.early.code);
}

u32 pack_whole_rows(Context& context, const u32* word, u32 count) {
  DataPaths* paths = context.env.paths;
  if (paths == nullptr) return 0;
  const WholeRows& known = paths->whole_rows;
  if ((*word & ~kDiffers) != known.key || !still_good(context, known)) return 0;

  PackerState& packer = context.state.packer;
  Adc& adc = context.state.adc.of(context.thread, AdcUnit::Packer);
  if (packer.open &&
      (packer.compressor.active || packer.out_format != static_cast<u8>(known.path.out)))
    return 0;
  const Section section{context.config(), 0};
  const u32 offset = section.counter<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset>() * kRow;
  u32 address = address_of(known, adc);
  u32 row;
  if (!takes_rows(adc) || !row_at(known, address, offset, row)) return 0;
  Output output(context, section, packer);
  output.use(known.path);
  if (!packer.open && !output.open(adc)) return 0;

  const u32 each = known.each;
  if (each * count > numeric::PackJob::kRows) count = numeric::PackJob::kRows / each;
  if (count > 1 && !goes_together(context, known, each, count)) count = 1;
  RowList rows(known, context.state.fpu.dst);
  numeric::PackJob& job = rows.job;
  job.relu = known.path.relu.mode == 1;
  job.shift = known.path.descale_shift;
  job.exponent_mask = known.exponent.mask << known.exponent.shift;
  const Adc before = adc;
  const u16* modifier = &context.thread_config()[thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::kWord];
  u32 done = 0;
  op::PACR insn{*word};
  for (;;) {
    const u32 m = modifier[insn.addr_mode()];
    const u32 together = alike(known, adc, m, row, word + done, count - done);
    if (together > 1 && rows.add_together(row, together)) {
      adc.channel[0].y = static_cast<u16>(adc.channel[0].y + together * m);
      address += together * m * known.y_stride;
      done += together;
    } else {
      rows.add(row);
      address = step_on(known, adc, m, address);
      ++done;
    }
    if (done == count || insn.last() != 0) break;
    const u32 next = word[done];
    if ((next & ~kDiffers) != known.key || !row_at(known, address, offset, row)) break;
    insn.word = next;
  }
  u32 greatest;
  if (!output.append_rows(job, each, greatest)) {
    adc = before;
    return 0;
  }
  packer.max_exponent = std::max(packer.max_exponent, static_cast<u8>(known.exponent.of(greatest)));
  advance_position(packer, known.reads, known.transposed, job.rows);
  context.now += done - 1;
  context.word = insn.word;
  if (insn.last() != 0) output.close(true);
  return done;
}

}  // namespace bhemu::tensix::pack
