// SETDMAREG: an immediate half register, or the state of the packer.
//
// Documents: tt-isa-documentation SETDMAREG_Immediate.md, SETDMAREG_Special.md. Blackhole has one
// packer; what the page says of packers 1 to 3 reads as zero. The bit that overrides
// Disable_zero_compress is unused there (field comments of the LLK register headers).
#include <fmt/format.h>

#include "tensix/footprint/recorder.hpp"
#include "tensix/gpr.hpp"

namespace bhemu::tensix {
namespace {

using Values = std::array<u32, 4>;

template <class C>
u32 last_tile_size(const C& context) {
  const PackerState& packer = context.state.packer;
  return packer.last_thread == context.thread ? packer.last_tile_size : 0;
}

/// Tile header: size in bits 15:0 of word 0; format and compression in bits 23:16 of word 1; zero
/// flags in word 2.
template <class C>
Values tile_header(const C& context) {
  const auto& words = context.config();
  Values values{};
  values[0] = (last_tile_size(context) + 1) & 0xFFFFu;
  const u32 format = cfg::THCON_SEC0_REG1_Out_data_format::get(words);
  values[1] = format << 16 | cfg::THCON_SEC0_REG1_Disable_zero_compress::get(words) << 20;
  values[2] = context.state.packer.compressor.zero_flags;
  return values;
}

Values read_source(Context& context, u32 source, u32 which) {
  PackerState& packer = context.state.packer;
  Values values{};
  switch (source) {
    case 0:
      values[0] = u32{packer.accumulated_size[context.thread]} << 16 | last_tile_size(context);
      break;
    case 1:
      values[0] = packer.compressor.zero_flags;
      break;
    case 2:
      values = tile_header(context);
      break;
    case 6:
    case 7:
      for (u32 i = 0; i < 16; ++i)
        values[i / 4] |= u32{packer.exponent_histogram[(source - 6) * 16 + i]} << (8 * (i % 4));
      break;
    case 8:
      values[0] = packer.compressor.zero_flags & 1u;
      if (bit(which, 0)) {
        context.touch(Resource::Tdma);
        packer.accumulated_size.fill(0);
      }
      break;
    case 9:
      values[0] = packer.max_exponent;
      break;
    case 3:
    case 4:
    case 5:
      context.raise(
          Rule::TensixUnsupported,
          fmt::format("SETDMAREG reads the header of packer {}; Blackhole has one", source - 2));
      break;
    default:
      break;  // the page lists no other source: zeros
  }
  return values;
}

Completion set_special(Context& context, op::SETDMAREG insn) {
  const u32 payload = insn.payload_sig_sel();
  const Values values = read_source(context, bits(payload, 3, 4), bits(payload, 7, 4));
  const u32 input_half = bits(payload, 0, 3);
  const u32 result_half = insn.reg_index_16b();
  GprFile& gpr = gprs(context);
  const u32 first = (result_half >> 1) & 0x3Cu;
  context.touch(Resource::Gpr);
  switch (insn.payload_sig_sel_size()) {
    case 0:
      write_half(gpr, result_half, bits(values[input_half / 2], 16 * (input_half % 2), 16));
      break;
    case 1:
      gpr[result_half >> 1] = values[input_half >> 1];
      break;
    case 2:
      for (u32 i = 0; i < 4; ++i) gpr[first + i] = values[i];
      break;
    default:  // a tile header, its reserved fields unchanged
      gpr[first] = with_bits(gpr[first], 0, 16, values[0]);
      gpr[first + 1] = with_bits(gpr[first + 1], 16, 8, values[1] >> 16);
      gpr[first + 2] = values[2];
      break;
  }
  return Completion::Done;
}

}  // namespace

Completion execute(Context& context, op::SETDMAREG insn) {
  if (insn.set_signals_mode() != 0) return set_special(context, insn);
  const u32 shift = 16 * (insn.reg_index_16b() % 2);
  put_gpr(context, insn.reg_index_16b() / 2, bits(insn.word, 8, 16) << shift, 0xFFFFu << shift);
  return Completion::Done;
}

// --- Footprints.

namespace {

using namespace footprint_cell;

void note_source(const Footprint& print, u32 source, u32 which) {
  switch (source) {
    case 0:
      print.read(Space::Packer, LastTileSize);
      return print.read(Space::Packer, AccumulatedSize0 + print.thread);
    case 1:
      return print.read(Space::Packer, ZeroFlags);
    case 2:
      tile_header(print);
      print.read(Space::Packer, LastTileSize);
      return print.read(Space::Packer, ZeroFlags);
    case 6:
    case 7:
    case 9:
      return print.read(Space::Packer, Statistics);
    case 8:
      print.read(Space::Packer, ZeroFlags);
      if (bit(which, 0)) print.write(Space::Packer, AccumulatedSize0, kThreads);
      return;
    default:
      return;
  }
}

void note_half(const Footprint& print, u32 half) {
  print.note_gprs(Access::Write, half / 2, 1, 0xFFFFu << 16 * (half % 2));
}

}  // namespace

void footprint(const Footprint& print, op::SETDMAREG insn) {
  const u32 half = insn.reg_index_16b();
  if (insn.set_signals_mode() == 0) return note_half(print, half);
  note_source(print, bits(insn.payload_sig_sel(), 3, 4), bits(insn.payload_sig_sel(), 7, 4));
  const u32 first = (half >> 1) & 0x3Cu;
  switch (insn.payload_sig_sel_size()) {
    case 0:
      return note_half(print, half);
    case 1:
      return print.note_gprs(Access::Write, half >> 1);
    case 2:
      return print.note_gprs(Access::Write, first, 4);
    default:
      print.note_gprs(Access::Write, first, 1, 0xFFFF);
      print.note_gprs(Access::Write, first + 1, 1, 0xFF0000);
      return print.note_gprs(Access::Write, first + 2);
  }
}

}  // namespace bhemu::tensix
