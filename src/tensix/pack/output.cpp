#include "tensix/pack/output.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "numeric/format_accumulate.hpp"
#include "tensix/dst/notes.hpp"
#include "tensix/prng.hpp"
#include "tensix/watch.hpp"

namespace bhemu::tensix::pack {

using numeric::Format;
using numeric::kRow;

namespace {

constexpr u32 kBlock = 16;

/// kRow datums little end first; those beyond the used ones are written to no effect.
template <class T>
void narrow(const u32* datum, u8* byte) {
  std::array<T, kRow> narrowed;
  for (u32 i = 0; i < kRow; ++i) narrowed[i] = static_cast<T>(datum[i]);
  std::memcpy(byte, narrowed.data(), sizeof(narrowed));
}

}  // namespace

template <class C>
bool BasicOutput<C>::open(const Adc& adc) {
  const u8 format = static_cast<u8>(path_->out);
  note(Access::ReadWrite, footprint_cell::OpenTile);
  if (packer_.open) {
    return packer_.out_format == format ||
           !context_.raise(
               Rule::PackFormatChange,
               fmt::format("from {} to {}", name_of(static_cast<Format>(packer_.out_format)),
                           name_of(path_->out)));
  }
  note(Access::Write, footprint_cell::ZeroFlags);
  note(Access::Write, footprint_cell::Position);
  const auto& words = context_.config();
  const AdcChannel& out = adc.channel[1];
  const u32 offset = cfg::PCK0_ADDR_BASE_REG_1_Base::get(words) +
                     out.y * cfg::PCK0_ADDR_CTRL_XY_REG_1_Ystride::get(words) +
                     out.z * cfg::PCK0_ADDR_CTRL_ZW_REG_1_Zstride::get(words) +
                     out.w * cfg::PCK0_ADDR_CTRL_ZW_REG_1_Wstride::get(words);
  // Bit 31 made packers 1..3 of Wormhole relative to packer 0; software still sets it.
  u32 unit =
      (section_.template get<cfg::THCON_SEC0_REG1_L1_Dest_addr>() & 0x7FFFFFFFu) + offset / kBlock;
  if (section_.template get<cfg::THCON_SEC0_REG1_Sub_l1_tile_header_size>() == 0) unit += 1;
  if (section_.template get<cfg::THCON_SEC0_REG1_Add_l1_dest_addr_offset>() != 0) {
    note(Access::Read, footprint_cell::AddressOffset);
    unit += packer_.l1_address_offset;
  }
  if (unit > section_.limit() * 2 + 1) unit -= section_.fifo_size() * 2;

  packer_.start_address = (unit & 0x1FFFF) * kBlock;
  packer_.compressor = PackCompressor{};
  packer_.compressor.active = path_->compress;
  if (path_->compress) {
    packer_.compressor.row_starts.address = (unit & 0x1FFFF) * kBlock;
    unit += section_.template get<cfg::THCON_SEC0_REG1_Row_start_section_size>();
  }
  packer_.exponents.address = (unit & 0x1FFFF) * kBlock;
  if ((format & 2) != 0)  // the block formats, but FP8 and INT8 as well
    unit += section_.template get<cfg::THCON_SEC0_REG1_Exp_section_size>();
  packer_.data.address = (unit & 0x1FFFF) * kBlock;
  packer_.exponents.fill = 0;
  packer_.data.fill = 0;
  packer_.group_fill = 0;
  packer_.phase = 0;
  packer_.out_format = format;
  packer_.y = 0;
  packer_.z = 0;
  packer_.open = true;
  return true;
}

template <class C>
bool BasicOutput<C>::in_l1(u32 address, u32 bytes) {
  if (L1::contains(address, bytes)) return true;
  context_.raise(Rule::PackL1Range, fmt::format("PACR at {:#x}, {} bytes", address, bytes));
  return false;
}

template <class C>
bool BasicOutput<C>::write_blocks(PackStream& stream, const u8* byte, u32 count) {
  if (!in_l1(stream.address, count)) return false;
  if constexpr (kOnlyNotes<C>)
    context_.write(Space::L1, stream.address, count);
  else
    context_.l1().write(stream.address, byte, count, context_.author());
  context_.moved += count;
  stream.address += count;
  return true;
}

template <class C>
bool BasicOutput<C>::append_bytes(PackStream& stream, const u8* byte, u32 count) {
  while (count != 0) {
    if (stream.fill == 0 && count >= kBlock) {
      const u32 whole = count & ~(kBlock - 1);
      if (!write_blocks(stream, byte, whole)) return false;
      byte += whole;
      count -= whole;
      continue;
    }
    const u32 run = std::min(count, kBlock - stream.fill);
    std::memcpy(&stream.block[stream.fill], byte, run);
    stream.fill += run;
    byte += run;
    count -= run;
    if (stream.fill < kBlock) continue;
    if (!write_blocks(stream, stream.block.data(), kBlock)) return false;
    stream.fill = 0;
  }
  return true;
}

template <class C>
bool BasicOutput<C>::accumulate_words(const u8* old, u8* byte, u32 count) {
  bool certain = true;
  for (u32 i = 0; i < count; i += 4) {
    u32 before;
    u32 contribution;
    std::memcpy(&before, old + i, 4);
    std::memcpy(&contribution, byte + i, 4);
    u32 sum;
    if (path_->out == Format::Fp32) {
      sum = numeric::accumulate_fp32(before, contribution);
    } else {
      const numeric::IntegerSum result = numeric::accumulate_int32(before, contribution);
      sum = result.value;
      certain = certain && result.certain;
    }
    std::memcpy(byte + i, &sum, 4);
  }
  return certain || !context_.raise(Rule::PackAccumulateSign, "Pack_L1_Acc with INT32");
}

template <class C>
bool BasicOutput<C>::accumulate(u8* byte, u32 count) {
  const u32 at = packer_.data.address + packer_.data.fill;
  if (!in_l1(at, count)) return false;
  if constexpr (kOnlyNotes<C>) {
    context_.read(Space::L1, at, count);
    return true;
  }
  const u8* old = context_.l1().data() + at;
  if (numeric::bits_of(path_->out) == 32) return accumulate_words(old, byte, count);
  for (u32 i = 0; i < count; i += 2) {
    u16 before;
    u16 contribution;
    std::memcpy(&before, old + i, 2);
    std::memcpy(&contribution, byte + i, 2);
    const u16 sum = path_->out == Format::Bf16 ? numeric::accumulate_bf16(before, contribution)
                                               : numeric::accumulate_fp16(before, contribution);
    std::memcpy(byte + i, &sum, 2);
  }
  return true;
}

template <class C>
void BasicOutput<C>::note_row_flow(const Input& input, u32 index, const DstMapping& mapping,
                                   u32 l1_datum_bytes) const {
  if constexpr (kOnlyNotes<C>) {
    if (input.zero || !context_.wants_flows()) return;
    const auto note_run = [&](u32 column, u32 count, u32 before) {
      if (input.from_l1)
        return note_flow(
            {Space::L1, input.l1_address + column * l1_datum_bytes, count, l1_datum_bytes}, before);
      const u32 row = mapping.place(input.row[index], path_->read_32b);
      for (u32 half = 0; half < (path_->read_32b ? 2 : 1); ++half) {
        const u32 first = (row + 8 * half) % kDstRows * kRow + input.column + column;
        note_flow({Space::Dst, first, count, 1}, before);
      }
    };
    if (path_->downsample == 0xFFFF) return note_run(0, input.columns, 0);
    u32 before = 0;
    for (u32 i = 0; i < input.columns; ++i)
      if (bit(path_->downsample, (index * input.columns + i) % 16)) note_run(i, 1, before++);
  }
}

/// A datum's byte is known when it enters its stream, even if another PACR will fill the block and
/// write it.
template <class C>
void BasicOutput<C>::note_flow(const Origin& origin, u32 before) const {
  if constexpr (kOnlyNotes<C>) {
    if (!context_.wants_flows() || packer_.compressor.active) return;
    const PackStream& data = packer_.data;
    const u32 bits = numeric::bits_of(path_->out);
    const bool block = numeric::is_bfp(path_->out);
    const u32 waiting = block ? packer_.group_fill : 0;
    const auto note_datums = [&](u32 index, u32 from, u32 count) {
      const u32 bit_address = (data.fill * 8) + (waiting + index) * bits;
      const u32 byte = data.address + bit_address / 8;
      if (bits >= 8) {
        const u32 size = bits / 8;
        context_.flow(
            {Space::L1, origin.space, byte, count * size, from, size, origin.size, origin.size});
      } else if (bit_address % 8 == 0 && count * bits % 8 == 0) {
        const u32 each = 8 / bits * origin.size;
        context_.flow({Space::L1, origin.space, byte, count * bits / 8, from, 1, each, each});
      } else {
        for (u32 i = 0; i < count; ++i)
          context_.flow({Space::L1, origin.space, data.address + (bit_address + i * bits) / 8, 1,
                         from + i * origin.size, 1, origin.size, origin.size});
      }
    };
    note_datums(before, origin.first, origin.count);
    for (u32 i = 0; block && i < origin.count;) {
      const u32 at = waiting + before + i;
      const u32 run = std::min(origin.count - i, kRow - at % kRow);
      const u32 size = run * origin.size;
      context_.flow({Space::L1, origin.space,
                     packer_.exponents.address + packer_.exponents.fill + at / kRow, 1,
                     origin.first + i * origin.size, 1, size, size});
      i += run;
    }
    if (!path_->accumulate || block) return;
    const u32 size = bits / 8;
    const u32 first = data.address + data.fill + before * size;
    context_.flow({Space::L1, Space::L1, first, origin.count * size, first, size, size, size});
  }
}

template <class C>
bool BasicOutput<C>::append_plain(const u32* datum, u32 count) {
  std::array<u8, kRow * 4> byte;
  const u32 size = numeric::bits_of(path_->out) / 8;
  std::array<u32, kRow> row{};
  std::copy_n(datum, count, row.begin());
  switch (size) {
    case 1:
      narrow<u8>(row.data(), byte.data());
      break;
    case 2:
      narrow<u16>(row.data(), byte.data());
      break;
    default:
      narrow<u32>(row.data(), byte.data());
      break;
  }
  if (path_->accumulate && !accumulate(byte.data(), count * size)) return false;
  return append_bytes(packer_.data, byte.data(), count * size);
}

template <class C>
bool BasicOutput<C>::write_group() {
  if (path_->stochastic_group) note_read(context_, Space::Random, 1);
  const numeric::Block block =
      path_->stochastic_group ? numeric::assemble_group_stochastic(path_->out, packer_.group.data(),
                                                                   draw_random(packer_).data())
                              : numeric::assemble_group(path_->out, packer_.group.data());
  const u32 bits = numeric::bits_of(path_->out);
  std::array<u8, kRow> byte{};
  for (u32 i = 0; i < kRow; ++i)
    byte[i * bits / 8] |= static_cast<u8>(block.datum[i] << (i * bits % 8));
  packer_.group_fill = 0;
  return append_bytes(packer_.exponents, &block.exponent, 1) &&
         append_bytes(packer_.data, byte.data(), kRow * bits / 8);
}

template <class C>
bool BasicOutput<C>::append_group(const u32* datum, u32 count) {
  for (u32 i = 0; i < count; ++i) {
    packer_.group[packer_.group_fill++] = static_cast<u16>(datum[i]);
    if (packer_.group_fill == kRow && !write_group()) return false;
  }
  return true;
}

template <class C>
bool BasicOutput<C>::append_values(const u32* datum, u32 count) {
  return numeric::is_bfp(path_->out) ? append_group(datum, count) : append_plain(datum, count);
}

template <class C>
bool BasicOutput<C>::append(const u32* code, const u32* datum, u32 count) {
  packer_.phase = (packer_.phase + count) % kRow;
  return packer_.compressor.active ? append_compressed(code, datum, count)
                                   : append_values(datum, count);
}

template <class C>
bool BasicOutput<C>::append_rows(numeric::PackJob& job, u32 each, u32& greatest_exponent) {
  const u32 bytes = job.rows * kRow * numeric::bits_of(path_->out) / 8;
  PackStream& data = packer_.data;
  // Both streams may end with a block that is written as well.
  if (packer_.group_fill != 0 || !L1::contains(data.address, data.fill + bytes + kBlock))
    return false;
  const bool block = numeric::is_bfp(path_->out);
  if (block && !L1::contains(packer_.exponents.address, kBlock)) return false;

  std::array<u8, numeric::PackJob::kRows> exponent;
  job.exponent = exponent.data();
  if (data.fill == 0 && bytes % kBlock == 0) {
    if constexpr (!kOnlyNotes<C>) {
      context_.l1().before_write(data.address, bytes, context_.author());
      job.datum = context_.l1().data() + data.address;
    }
    context_.moved += bytes;
    greatest_exponent = path_->rows(job);
    data.address += bytes;
  } else {
    std::array<u8, numeric::PackJob::kRows * kRow * 4> buffer;
    job.datum = buffer.data();
    greatest_exponent = path_->rows(job);
    append_bytes(data, buffer.data(), bytes);
  }
  // What a stream's block holds of before is part of the state.
  for (u32 i = 0; block && i < job.rows; i += each)
    append_bytes(packer_.exponents, &exponent[i], each);
  return true;
}

template <class C>
bool BasicOutput<C>::pad(PackStream& stream) {
  if (stream.fill == 0) return true;
  std::fill(stream.block.begin() + stream.fill, stream.block.end(), u8{0});
  stream.fill = 0;
  return write_blocks(stream, stream.block.data(), kBlock);
}

template <class C>
bool BasicOutput<C>::close(bool last) {
  if (!packer_.open) return true;
  if (packer_.compressor.active && !close_compressed()) return false;
  if (packer_.group_fill != 0 &&
      context_.raise(Rule::PackPartialGroup,
                     fmt::format("{} of 16 datums of {}", packer_.group_fill,
                                 name_of(static_cast<Format>(packer_.out_format)))))
    return false;
  packer_.group_fill = 0;
  if (!pad(packer_.exponents) || !pad(packer_.data)) return false;
  packer_.open = false;
  if (!last) return true;

  note(Access::Write, footprint_cell::LastTileSize);
  note(Access::ReadWrite, footprint_cell::AccumulatedSize0 + context_.thread);
  // What TDMA-RISC sees. The size runs from the first section to the end of the datums.
  context_.touch(Resource::Tdma);
  packer_.last_tile_size = (packer_.data.address - packer_.start_address) / kBlock;
  packer_.last_thread = static_cast<u16>(context_.thread);
  u32 size = packer_.last_tile_size;
  if (section_.add_tile_header_size()) size += 1;
  u16& accumulated = packer_.accumulated_size[context_.thread];
  accumulated = static_cast<u16>(accumulated + size);
  const bool full = packer_.closed_tail - packer_.closed_head == kPackMetadataFifo;
  if (section_.template get<cfg::THCON_SEC0_REG1_Enable_out_fifo>() != 0 && !full) {
    note(Access::ReadWrite, footprint_cell::ClosedTiles);
    const u32 slot = packer_.closed_tail++ % kPackMetadataFifo;
    packer_.closed_sizes[slot] = packer_.last_tile_size;
    packer_.closed_zero_flags[slot] = packer_.compressor.zero_flags;
  }
  return true;
}

template class BasicOutput<Context>;
template class BasicOutput<Footprint>;
template class BasicOutput<LateContext>;

void tell_piece(const Context& context, const PackFlight& flight, const Path* path,
                const PackerState& before) {
  Touches touches;
  const Footprint print(context.state, context.env, context.thread, context.word, touches);
  const Input& input = flight.input;
  const u32 piece = flight.pieces.landed;
  const u32 columns = ((1u << input.columns) - 1) << input.column;
  if (path != nullptr && piece < input.rows && !input.zero && !input.from_l1)
    note_dst_rows(print, Access::Read, {path->read_32b, input.row[piece], 1, 1, columns},
                  {flight.placed[0], flight.placed[1], flight.placed[2]});
  const auto note_stream = [&](const PackStream& was, const PackStream& is, Access access) {
    if (is.address > was.address)
      print.note(access, Space::L1, was.address, is.address - was.address);
  };
  const PackerState& now = context.state.packer;
  note_stream(before.data, now.data,
              path != nullptr && path->accumulate ? Access::ReadWrite : Access::Write);
  note_stream(before.exponents, now.exponents, Access::Write);
  if (before.compressor.active)
    note_stream(before.compressor.row_starts, now.compressor.row_starts, Access::Write);
  context.env.watch->landed(trace::Landing::What::Pack, context.author(), touches, piece,
                            flight.pieces.count);
}

}  // namespace bhemu::tensix::pack
