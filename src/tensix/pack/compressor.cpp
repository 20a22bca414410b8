// Compression: zeros inside a row become a count behind the datum before them.
//
// Document: tt-isa-documentation WormholeB0 Packers/Compression.md: the stream in L1, and that the
// first and the last datum of a row are kept. It leaves open which of the zeros between are folded;
// here all of them are, up to 15 behind one datum. Zero is judged before the late conversion
// (Packers/README.md, diagram).
#include "tensix/pack/output.hpp"

namespace bhemu::tensix::pack {

using numeric::kRow;

namespace {

/// Datums that lie together in L1 before their run lengths.
constexpr u32 kGroup = 32;
constexpr u32 kFlaggedRows = 32;
constexpr u8 kLongestRun = 15;

}  // namespace

template <class C>
bool BasicOutput<C>::begin_row() {
  PackCompressor& c = packer_.compressor;
  if (!c.active || c.row_open) return true;
  const u8 index[2] = {static_cast<u8>(c.stored), static_cast<u8>(c.stored >> 8)};
  if (!append_bytes(c.row_starts, index, 2)) return false;
  ++c.row;
  c.row_open = true;
  c.row_is_zero = true;
  c.row_has_datum = false;
  c.has_held = false;
  return true;
}

template <class C>
bool BasicOutput<C>::end_row() {
  PackCompressor& c = packer_.compressor;
  if (!c.active || !c.row_open) return true;
  c.row_open = false;
  if (c.has_held && !encode_held(true)) return false;
  const bool flagged = section_.template get<cfg::THCON_SEC0_REG1_Disable_pack_zero_flags>() == 0;
  note(Access::ReadWrite, footprint_cell::ZeroFlags);
  if (c.row_is_zero && flagged && c.row <= kFlaggedRows) c.zero_flags |= 1u << (c.row - 1);
  return true;
}

template <class C>
bool BasicOutput<C>::append_compressed(const u32* code, const u32* datum, u32 count) {
  PackCompressor& c = packer_.compressor;
  for (u32 i = 0; i < count; ++i) {
    if (c.has_held && !encode_held(false)) return false;
    c.held = datum[i];
    c.held_is_zero = code[i] == 0;
    c.has_held = true;
    if (!c.held_is_zero) c.row_is_zero = false;
  }
  return true;
}

template <class C>
bool BasicOutput<C>::encode_held(bool is_last) {
  PackCompressor& c = packer_.compressor;
  c.has_held = false;
  if (c.held_is_zero && c.row_has_datum && !is_last && c.zeros < kLongestRun) {
    ++c.zeros;
    const u32 latest = c.group_fill - 1u;
    u8& pair = c.run_lengths[latest / 2];
    const u32 shift = latest % 2 * 4;
    pair = static_cast<u8>((pair & ~(0xFu << shift)) | u32{c.zeros} << shift);
    return true;
  }
  if (c.group_fill == kGroup && !write_run_lengths()) return false;
  ++c.group_fill;
  ++c.stored;
  c.zeros = 0;
  c.row_has_datum = true;
  return append_values(&c.held, 1);
}

template <class C>
bool BasicOutput<C>::write_run_lengths() {
  PackCompressor& c = packer_.compressor;
  c.group_fill = 0;
  if (!append_bytes(packer_.data, c.run_lengths.data(), 16)) return false;
  c.run_lengths.fill(0);
  return true;
}

/// The last group is filled up, its run lengths follow; the last index says where the rows end.
template <class C>
bool BasicOutput<C>::close_compressed() {
  PackCompressor& c = packer_.compressor;
  if (!end_row()) return false;
  const u32 zero = 0;
  while (packer_.group_fill != 0) {
    ++c.group_fill;
    if (!append_values(&zero, 1)) return false;
  }
  if (c.group_fill != 0) {
    // Groups of padding alone have no exponent.
    const std::array<u8, kGroup * 4> padding{};
    const u32 bits = numeric::bits_of(static_cast<numeric::Format>(packer_.out_format));
    if (!append_bytes(packer_.data, padding.data(), (kGroup - c.group_fill) * bits / 8) ||
        !write_run_lengths())
      return false;
  }
  const u8 index[2] = {static_cast<u8>(c.stored), static_cast<u8>(c.stored >> 8)};
  return append_bytes(c.row_starts, index, 2) && pad(c.row_starts);
}

template bool BasicOutput<Context>::begin_row();
template bool BasicOutput<Footprint>::begin_row();
template bool BasicOutput<LateContext>::begin_row();
template bool BasicOutput<Context>::end_row();
template bool BasicOutput<Footprint>::end_row();
template bool BasicOutput<LateContext>::end_row();
template bool BasicOutput<Context>::append_compressed(const u32*, const u32*, u32);
template bool BasicOutput<Footprint>::append_compressed(const u32*, const u32*, u32);
template bool BasicOutput<LateContext>::append_compressed(const u32*, const u32*, u32);
template bool BasicOutput<Context>::close_compressed();
template bool BasicOutput<Footprint>::close_compressed();
template bool BasicOutput<LateContext>::close_compressed();

}  // namespace bhemu::tensix::pack
