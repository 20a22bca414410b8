#include "tensix/unpack/transfer.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tensix/dst/dst_access.hpp"
#include "tensix/dst/notes.hpp"

namespace bhemu::tensix::unpack {

using numeric::DstForm;
using numeric::kRow;

void fetch_datums(const u8* memory, u64 address, u32 bits, u32 count, u32* datum) {
  const u8* byte = memory + address / 8;
  switch (bits) {
    case 32:
      std::memcpy(datum, byte, u64{count} * 4);
      return;
    case 16:
      for (u32 i = 0; i < count; ++i) {
        u16 value;
        std::memcpy(&value, byte + 2 * i, 2);
        datum[i] = value;
      }
      return;
    case 8:
      for (u32 i = 0; i < count; ++i) datum[i] = byte[i];
      return;
    default:
      for (u32 i = 0; i < count; ++i) {
        const u64 at = address + u64{i} * bits;
        datum[i] = (memory[at / 8] >> (at % 8)) & ((1u << bits) - 1);
      }
      return;
  }
}

template <class Words>
u32 burst_rows(const Words& words, const Plan& plan) {
  // Rate in steps of 16, 32, 64 or 128 bytes a cycle: two-bit formats always take the first,
  // tileize always the third; otherwise 8-bit formats the fourth and all others the third, unless
  // the default is overridden. 16- and 32-bit datums double the third.
  const u32 section = plan.select.unpacker * kThconSection;
  const u32 bits = plan.source.datum_bits;
  u32 step = bits == 8 ? 3 : 2;
  if (cfg::THCON_SEC0_REG1_ovrd_default_throttle_mode::get(words, section) != 0)
    step = cfg::THCON_SEC0_REG2_Throttle_mode::get(words, section);
  if (bits == 2) step = 0;
  if (cfg::THCON_SEC0_REG2_Tileize_mode::get(words, section) != 0) step = 2;
  u32 rate = 16u << step;
  if (bits >= 16 && step == 2) rate = 128;
  return std::clamp(rate / (2 * bits), 1u, 8u);
}
template u32 burst_rows(const ConfigWords&, const Plan&);

namespace {

template <class C>
Destination destination_of(const C& context, const Plan& plan) {
  const auto& state = context.state;
  const u32 unpacker = plan.select.unpacker;
  Destination to;
  if (!plan.target.to_dst)
    note_read(context, Space::Unpacker,
              unpacker * footprint_cell::kUnpackerCells + footprint_cell::SrcRow0 + context.thread);
  to.src_row = state.unpacker[unpacker].src_row[context.thread];
  to.bank = (unpacker == 0 ? state.fpu.src_a : state.fpu.src_b).unpack_bank;
  if (plan.target.to_dst) {
    const DstMapping mapping = DstAccess::mapping_of(state);
    to.placed = {mapping.remap, mapping.swizzle, mapping.high_halves};
  }
  if (unpacker == 0)
    to.by_address = thread_cfg::SRCA_SET_SetOvrdWithAddr::get(context.thread_config()) != 0;
  return to;
}

/// Of a footprint: where the datums lie whose cells are being emitted. A cell then holds no value
/// but 1 + the datum's index here, or 0 where it comes from nothing.
struct Origins {
  u64 data = 0;  // bit address of the first
  u32 datum_bits = 0;
  bool has_exponents = false;
  std::array<u32, kRow> exponent{};  // byte addresses
};

/// Where the cells of one instruction go. `put` writes a run of datums of one destination row.
template <class C>
class Sink {
 public:
  /// `finds_rows`: the instruction begins here, and reads what decides where rows of Dst lie.
  Sink(const C& context, const Plan& plan, const Destination& to, bool finds_rows)
      : context_(context),
        finds_rows_(finds_rows),
        plan_(plan),
        target_(plan.target),
        position_(plan.target.position),
        src_row_(to.src_row),
        first_row_(to.bank * kSrcRows),
        by_address_(to.by_address),
        mapping_{to.placed[0], to.placed[1], to.placed[2]} {
    auto& state = context.state;
    auto& file = plan.select.unpacker == 0 ? state.fpu.src_a : state.fpu.src_b;
    rows_ = file.bank[to.bank].data();
  }

  /// Up to kRow cells to the next positions. False: stopped at a fault.
  bool put(const u32* cell, u32 count) {
    while (count != 0) {
      const u32 column = position_ % kRow;
      const u32 run = std::min(count, kRow - column);
      if (!put_in_row(position_ / kRow, column, cell, run)) return false;
      position_ += run;
      cell += run;
      count -= run;
    }
    return true;
  }
  void skip(u32 count) { position_ += count; }
  u32 position() const { return position_; }
  void come_from(const Origins& origins) { origins_ = &origins; }

  /// How many of the next `rows` whole rows lie one after the other in the Src bank as they come,
  /// and where; 0: they go through `put`.
  u32 straight_rows(u32 rows, u32*& cell) const {
    const u32 row = position_ / kRow;
    if (position_ % kRow != 0 || target_.to_dst || target_.broadcast) return 0;
    u32 target = row;
    if (plan_.select.unpacker == 0) {
      if (row < 4 || target_.haloize || target_.column_shift != 0) return 0;
      target = row - 4;
      if (!by_address_ && target + rows > 16) return 0;
    }
    target = (target + src_row_) & 63;
    cell = rows_[target].datum.data();
    return std::min(rows, kSrcRows - target);
  }

 private:
  bool put_in_row(u32 row, u32 column, const u32* cell, u32 count) {
    if (plan_.select.unpacker == 1) {
      for (u32 i = 0; i < (target_.broadcast ? 8u : 1u); ++i)
        write_src((row + i + src_row_) & 63, column, cell, count);
      return true;
    }
    return target_.to_dst ? put_in_dst((row - 4) & 0x3FF, column, cell, count)
                          : put_in_src_a(row, column, cell, count);
  }

  void write_src(u32 row, u32 column, const u32* cell, u32 count) {
    if constexpr (kOnlyNotes<C>) {
      const Space space = src_space(plan_.select.unpacker);
      context_.write(space, first_row_ + row, 1, ((1u << count) - 1) << column);
      note_flow(space, (first_row_ + row) * kRow + column, cell, count);
    } else {
      std::memcpy(&rows_[row].datum[column], cell, u64{count} * 4);
    }
  }

  /// Runs of datums that lie one after the other, as whole bytes.
  void note_flow(Space to, u32 first, const u32* cell, u32 count) const {
    if (origins_ == nullptr || !context_.wants_flows()) return;
    const Origins& from = *origins_;
    for (u32 i = 0; i < count;) {
      u32 run = 1;
      while (cell[i] != 0 && i + run < count && cell[i + run] == cell[i] + run) ++run;
      if (cell[i] != 0) note_run(to, first + i, cell[i] - 1, run, from);
      i += run;
    }
  }
  void note_run(Space to, u32 first, u32 index, u32 count, const Origins& from) const {
    const u64 bit_address = from.data + u64{index} * from.datum_bits;
    const u32 byte = static_cast<u32>(bit_address / 8);
    if (from.datum_bits >= 8) {
      const u32 size = from.datum_bits / 8;
      context_.flow({to, Space::L1, first, count, byte, 1, size, size});
    } else if (bit_address % 8 == 0) {
      context_.flow({to, Space::L1, first, count, byte, 8 / from.datum_bits});
    } else {
      for (u32 i = 0; i < count; ++i)
        context_.flow({to, Space::L1, first + i, 1,
                       static_cast<u32>((bit_address + u64{i} * from.datum_bits) / 8)});
    }
    if (!from.has_exponents) return;
    for (u32 i = 0; i < count;) {
      const u32 exponent = from.exponent[index + i];
      u32 same = 1;
      while (i + same < count && from.exponent[index + i + same] == exponent) ++same;
      context_.flow({to, Space::L1, first + i, same, exponent, kRow});
      i += same;
    }
  }

  bool put_in_src_a(u32 row, u32 column, const u32* cell, u32 count) {
    if (row < 4) return true;  // the four rows below address 64 do not exist in SrcA
    u32 target = row - 4;
    if (!by_address_ && target >= 16 &&
        context_.raise(Rule::UnpackSrcARow, fmt::format("UNPACR to row {} of a set", target)))
      return false;
    target = (target + src_row_) & 63;
    const u32 shift = target_.column_shift;
    u32 first = column < shift ? shift - column : 0;
    if (first >= count) return true;
    if (target_.haloize) {
      for (u32 i = first; i < count; ++i)
        write_src((target & ~15u) | (column + i - shift), target & 15, cell + i, 1);
      return true;
    }
    write_src(target, column + first - shift, cell + first, count - first);
    return true;
  }

  bool put_in_dst(u32 row, u32 column, const u32* cell, u32 count) {
    if constexpr (kOnlyNotes<C>) {
      const bool wide = target_.form == DstForm::Bits32;
      if (finds_rows_) note_mapping(context_, wide);
      note_dst_rows(context_, Access::Write, {wide, row, 1, 1, ((1u << count) - 1) << column},
                    mapping_);
      const u32 first = mapping_.place(row, wide);
      for (u32 half = 0; half < (wide ? 2 : 1); ++half)
        note_flow(Space::Dst, (first + 8 * half) % kDstRows * kRow + column, cell, count);
      return true;
    } else {
      return write_dst(row, column, cell, count);
    }
  }

  bool write_dst(u32 row, u32 column, const u32* cell, u32 count) {
    DstAccess dst(context_.state.fpu.dst, mapping_);
    if (target_.form == DstForm::Bits32 && count == kRow) {
      DstRow32 stored;
      for (u32 i = 0; i < kRow; ++i) stored[i] = numeric::dst_from_fp32(cell[i]);
      dst.write_row32(row, stored);
      return true;
    }
    if (target_.form == DstForm::Bits32) {
      for (u32 i = 0; i < count; ++i) dst.write32(row, column + i, numeric::dst_from_fp32(cell[i]));
      return true;
    }
    std::array<u32, kRow> padded{};
    DstRow stored;
    std::copy_n(cell, count, padded.begin());
    numeric::dst16_from_cells(target_.form, padded.data(), stored.datum.data());
    if (count == kRow) {
      dst.write_row16(row, stored);
      return true;
    }
    // One datum of an invalid row makes the whole row valid: the others show what they held.
    for (u32 i = 0; i < count; ++i) dst.write16(row, column + i, stored.datum[i]);
    return true;
  }

  const C& context_;
  bool finds_rows_;
  const Plan& plan_;
  const Target& target_;
  u32 position_;
  u32 src_row_;
  u32 first_row_;  // of the bank
  bool by_address_;
  DstMapping mapping_;  // of the rows that are written
  const Origins* origins_ = nullptr;
  std::conditional_t<kOnlyNotes<C>, const SrcRow, SrcRow>* rows_ = nullptr;
};

/// Reads, converts and emits.
template <class C>
class Mover {
 public:
  Mover(const C& context, Plan& plan, const Destination& to, bool finds_rows = true)
      : context_(context),
        rows_(plan.rows),
        source_(plan.source),
        target_(plan.target),
        convert_(plan.target.to_dst && plan.target.form == DstForm::Bits32 ? nullptr
                                                                           : plan.convert),
        is_bfp_(numeric::is_bfp(plan.source.format)),
        sink_(context, plan, to, finds_rows) {
    if constexpr (kOnlyNotes<C>) sink_.come_from(origins_);
  }

  bool run() {
    if constexpr (!kOnlyNotes<C>)
      if (!source_.compressed && !target_.zero_write && can_take_whole_rows())
        return run_whole_rows();
    return run_part(0, source_.count);
  }
  /// `done` datums have been read; goes on to `until`, which is a multiple of kRow or all.
  bool run_part(u32 done, u32 until) {
    if (source_.compressed) return run_compressed(done, until);
    if (target_.zero_write) return run_zero(done, until);
    return run_plain(done, until);
  }
  u32 position() const { return sink_.position(); }

 private:
  bool run_plain(u32 done, u32 until) {
    const bool simple = target_.upsample == 0;
    std::array<u32, kRow> cell{};
    while (done < until) {
      const u32 count = std::min(until - done, kRow);
      if (!read_row(count, cell)) return false;
      done += count;
      step_row(done);
      if (simple ? !sink_.put(cell.data(), count) : !put_upsampled(cell.data(), count))
        return false;
    }
    return true;
  }

  /// Whole rows with vector instructions, when no address can stop or wrap on the way.
  bool can_take_whole_rows() {
    const u32 rows = source_.count / kRow;
    if (convert_ == nullptr || rows_ == nullptr || rows == 0 || source_.count % kRow != 0 ||
        target_.upsample != 0 || source_.data % 8 != 0 || source_.data / 8 > kL1Size)
      return false;
    const u64 start = source_.data + (rows - 1) / chunk_rows() * source_.row_step;
    const u64 end = start / 8 + u64{chunk_rows()} * row_bytes();
    if (end > kL1Size || (source_.wrap.size != 0 && end > source_.wrap.limit)) return false;
    return !is_bfp_ || row_exponents(rows);
  }

  /// Rows that lie one after the other in L1.
  u32 chunk_rows() const {
    const bool steps = source_.row_step != u64{source_.row_datums} * source_.datum_bits;
    return steps ? source_.row_datums / kRow : source_.count / kRow;
  }
  u32 row_bytes() const { return kRow * source_.datum_bits / 8; }

  bool run_whole_rows() {
    const u32 rows = source_.count / kRow;
    for (u32 done = 0; done < rows; done += chunk_rows()) {
      const u32 count = std::min(chunk_rows(), rows - done);
      const u8* datum = context_.l1().data() + source_.data / 8;
      if (!put_rows(datum, is_bfp_ ? &row_exponent_[done] : nullptr, count)) return false;
      source_.data += source_.row_step;
    }
    return true;
  }

  bool put_rows(const u8* datum, const u8* exponent, u32 rows) {
    while (rows != 0) {
      u32* cell;
      u32 count = sink_.straight_rows(rows, cell);
      if (count != 0) {
        rows_(datum, exponent, count, cell);
        sink_.skip(count * kRow);
      } else {
        std::array<u32, kRow * kRow> buffer;
        count = std::min(rows, kRow);
        rows_(datum, exponent, count, buffer.data());
        if (!sink_.put(buffer.data(), count * kRow)) return false;
      }
      datum += count * row_bytes();
      if (is_bfp_) exponent += count;
      rows -= count;
    }
    return true;
  }

  /// One exponent for each row, if the rows begin with a group of 16.
  bool row_exponents(u32 rows) {
    if (rows > kSrcRows) return false;
    if (source_.forced_exponent) {
      row_exponent_.fill(source_.exponent_value);
      return true;
    }
    const u64 first = source_.exponent / 16;
    const u64 end = first + rows;
    if (source_.exponent % 16 != 0 || end > kL1Size) return false;
    if (source_.wrap.size != 0 && end > source_.wrap.limit) return false;
    std::memcpy(row_exponent_.data(), context_.l1().data() + first, rows);
    return true;
  }

  bool run_zero(u32 done, u32 until) {
    const std::array<u32, kRow> zero{};
    for (; done < until; done += kRow) {
      const u32 count = std::min(until - done, kRow);
      if (target_.upsample == 0 ? !sink_.put(zero.data(), count)
                                : !put_upsampled(zero.data(), count))
        return false;
    }
    return true;
  }

  /// Datum by datum: every datum is followed by as many zeros as its run length says.
  bool run_compressed(u32 done, u32 until) {
    std::array<u32, kRow> cell{};
    const u32 zero = 0;
    while (done < until && source_.emit != 0) {
      u32 zeros;
      if (!read_row(1, cell)) return false;
      source_.data += source_.datum_bits;
      if (++done % kRow == 0) source_.data = wrapped(source_.data, 8);
      if (!read_run_length(zeros)) return false;
      if (target_.zero_write) {
        cell[0] = 0;
        zeros = 0;
      }
      for (u32 j = 0; j <= zeros && source_.emit != 0; ++j) {
        if (source_.drop != 0) {
          --source_.drop;
          continue;
        }
        if (!put_upsampled(j == 0 ? cell.data() : &zero, 1)) return false;
        --source_.emit;
      }
    }
    return true;
  }

  bool put_upsampled(const u32* cell, u32 count) {
    const std::array<u32, 8> zero{};
    for (u32 i = 0; i < count; ++i) {
      if (!sink_.put(cell + i, 1)) return false;
      if (target_.interleave) {
        sink_.skip(target_.upsample);
      } else if (!sink_.put(zero.data(), target_.upsample)) {
        return false;
      }
    }
    return true;
  }

  bool read_row(u32 count, std::array<u32, kRow>& cell) {
    const u64 bits = u64{count} * source_.datum_bits;
    if (!in_l1(source_.data / 8, (source_.data + bits + 7) / 8)) return false;
    if constexpr (kOnlyNotes<C>) {
      note_l1(source_.data / 8, (source_.data + bits + 7) / 8);
      for (u32 i = 0; i < count; ++i) cell[i] = i + 1;
      origins_.data = source_.data;
      origins_.datum_bits = source_.datum_bits;
      origins_.has_exponents = convert_ != nullptr && is_bfp_ && !source_.forced_exponent;
      std::array<u8, kRow> exponent;
      return convert_ == nullptr || !is_bfp_ || read_exponents(count, exponent);
    } else {
      return read_cells(count, cell);
    }
  }

  bool read_cells(u32 count, std::array<u32, kRow>& cell) {
    std::array<u32, kRow> datum{};
    const u64 first = source_.data / 8;
    if (first + kRow * sizeof(u32) < kL1Size) {
      fetch_datums(context_.l1().data(), source_.data, source_.datum_bits, count, datum.data());
    } else {  // zeros behind the end
      std::array<u8, kRow * sizeof(u32) + 8> bytes{};
      const u64 there = std::min<u64>(bytes.size(), kL1Size - std::min<u64>(first, kL1Size));
      std::memcpy(bytes.data(), context_.l1().data() + (kL1Size - there), there);
      fetch_datums(bytes.data(), source_.data % 8, source_.datum_bits, count, datum.data());
    }
    if (convert_ == nullptr) {
      cell = datum;
      return true;
    }
    std::array<u8, kRow> exponent{};
    if (is_bfp_ && !read_exponents(count, exponent)) return false;
    if (convert_(datum.data(), exponent.data(), cell.data())) return true;
    return !context_.raise(
        Rule::UnpackExponentRange,
        fmt::format("UNPACR of {}: an exponent has more than 5 bits", name_of(source_.format)));
  }

  bool read_exponents(u32 count, std::array<u8, kRow>& exponent) {
    if (source_.forced_exponent) {
      exponent.fill(source_.exponent_value);
      return true;
    }
    for (u32 i = 0; i < count; ++i) {
      const u64 address = source_.exponent / 16;
      if (!in_l1(address, address + 1)) return false;
      note_l1(address, address + 1);
      if constexpr (kOnlyNotes<C>) origins_.exponent[i] = static_cast<u32>(address);
      exponent[i] = byte_at(address);
      if (++source_.exponent % 256 == 0) source_.exponent = wrapped(source_.exponent, 16);
    }
    return true;
  }

  bool read_run_length(u32& zeros) {
    const u64 address = source_.delta / 2;
    if (!in_l1(address, address + 1)) return false;
    note_l1(address, address + 1);
    zeros = (byte_at(address) >> (source_.delta % 2 * 4)) & 0xF;
    if (++source_.delta % 32 != 0) return true;
    source_.data += 128;                           // over the 32 run lengths
    source_.delta += 32 * source_.datum_bits / 4;  // over the next 32 datums
    source_.delta = wrapped(source_.delta, 2);
    return true;
  }

  /// The input address after a row of 16 datums; `done` counts the datums read.
  void step_row(u32 done) {
    source_.data += u64{kRow} * source_.datum_bits;
    if (done % source_.row_datums == 0)
      source_.data += source_.row_step - u64{source_.row_datums} * source_.datum_bits;
    source_.data = wrapped(source_.data, 8);
  }

  /// Addresses in units of 1/`per_byte` byte.
  u64 wrapped(u64 address, u64 per_byte) const {
    return address > source_.wrap.limit * per_byte ? address - source_.wrap.size * per_byte
                                                   : address;
  }

  u8 byte_at(u64 at) const { return at < kL1Size ? context_.l1().data()[at] : u8{0}; }
  bool in_l1(u64 first, u64 end) {
    // A ring may step back to below address 0.
    if (first <= end && end <= kL1Size) return true;
    const bool near = first <= end && end <= kL1Size + kLargestTile;
    return !context_.raise(near ? Rule::UnpackL1End : Rule::UnpackL1Range,
                           fmt::format("UNPACR reads {:#x}..{:#x}", first, end)) &&
           near;
  }
  /// LLK's untilize ends a block with an instruction that reads a row of the tile behind the last,
  /// for its data valid alone; the last one of a sharded tensor may be the last of L1.
  static constexpr u64 kLargestTile = 32 * 32 * sizeof(u32);

  /// Bytes [first, end).
  void note_l1(u64 first, u64 end) const {
    end = std::min<u64>(end, kL1Size);
    if (first < end)
      note_read(context_, Space::L1, static_cast<u32>(first), static_cast<u32>(end - first));
  }

  const C& context_;
  numeric::UnpackRows rows_;
  Source& source_;
  const Target& target_;
  numeric::UnpackRow convert_;
  bool is_bfp_;
  std::array<u8, kSrcRows> row_exponent_;
  struct Nothing {};
  std::conditional_t<kOnlyNotes<C>, Origins, Nothing> origins_;
  Sink<C> sink_;
};

/// SrcA is written in bursts of whole rows. A burst never crosses row 63, and one that starts off
/// its own alignment may lose rows inside a set; an aligned start is exact. LLK's untilize writes a
/// face from every row on and uses the first row of each (llk_unpack_untilize.h).
template <class C>
bool check_burst(const C& context, const Plan& plan) {
  if (plan.select.unpacker != 0 || plan.target.to_dst || plan.source.count <= kRow) return true;
  const u32 row = plan.target.position / kRow;
  const u32 burst = burst_rows(context.config(), plan);
  if (row < 4 || (row - 4) % burst == 0) return true;
  return !context.raise(Rule::UnpackSrcABurst,
                        fmt::format("UNPACR to SrcA from row {} in bursts of {}", row - 4, burst));
}

}  // namespace

template <class C>
bool transfer(const C& context, Plan& plan) {
  if (!check_burst(context, plan)) return false;
  if (plan.target.to_dst) context.touch(Resource::Dst);
  return Mover<C>(context, plan, destination_of(context, plan)).run();
}

template bool transfer(const Context&, Plan&);
template bool transfer(const Footprint&, Plan&);

bool depart(const Context& context, const Plan& plan, Destination& destination) {
  if (!check_burst(context, plan)) return false;
  destination = destination_of(context, plan);
  return true;
}

namespace {
Plan plan_of(const UnpackFlight& flight) {
  Plan plan;
  plan.select = flight.select;
  plan.source = flight.source;
  plan.target = flight.target;
  plan.convert =
      numeric::unpack_row_to_src(flight.source.format, flight.target.format, flight.source.flags);
  return plan;
}
}  // namespace

void note_part(const Footprint& print, const UnpackFlight& flight, u32 until) {
  Plan plan = plan_of(flight);
  Mover<Footprint>(print, plan, flight.destination, false).run_part(flight.done, until);
}

bool transfer_part(const Context& context, UnpackFlight& flight, u32 until) {
  Plan plan = plan_of(flight);
  if (plan.target.to_dst) context.touch(Resource::Dst);
  Mover<Context> mover(context, plan, flight.destination);
  if (!mover.run_part(flight.done, until)) return false;
  flight.done = until;
  flight.source = plan.source;
  flight.target.position = mover.position();
  return true;
}

}  // namespace bhemu::tensix::unpack
