// The bottom of the packer: datums into streams of 16-byte blocks, blocks into L1, tiles opened and
// closed, sizes for TDMA-RISC.
//
// Documents: tt-isa-documentation WormholeB0 Packers/OutputAddressGenerator.md (strides in bytes on
// Blackhole), TDMA-RISC.md (AccTileSize). The packer never writes the contents of a tile header.
#pragma once

#include "tensix/dst/dst_access.hpp"
#include "tensix/pack/flight.hpp"
#include "tensix/pack/path.hpp"

namespace bhemu::tensix::pack {

/// Where datums come from that are about to be packed: `count` cells of `space` one after the
/// other, each `size` of them (tensix/footprint/flow.hpp).
struct Origin {
  Space space = Space::Dst;
  u32 first = 0;
  u32 count = 0;
  u32 size = 1;
};

/// `C`: Context, or Footprint, which goes the same way with a copy of the packer's state and notes
/// what it would write.
template <class C>
class BasicOutput {
 public:
  BasicOutput(const C& context, const BasicSection<ConfigOf<C>>& section, PackerState& packer)
      : context_(context), section_(section), packer_(packer) {}
  /// Call before `open`; the path outlives the output.
  void use(const Path& path) { path_ = &path; }

  /// The streams get addresses from channel 1 of `adc` if the tile is not open yet.
  /// All of these: false when a fault stopped the thread.
  bool open(const Adc& adc);
  /// `count` up to 16 codes with their results of the late conversion.
  bool append(const u32* code, const u32* datum, u32 count);
  /// Of a footprint: where the datums of a row lie that are about to be appended.
  void note_row_flow(const Input& input, u32 index, const DstMapping& mapping,
                     u32 l1_datum_bytes) const;
  /// A row as compression means it: PACR instructions up to the first without Concat.
  bool begin_row();
  bool end_row();
  /// Whole rows straight into L1, `each` of every instruction. Those of more than one have to be
  /// whole blocks. False: they cannot go that way now, and nothing was done.
  bool append_rows(numeric::PackJob& job, u32 each, u32& greatest_exponent);
  /// Last or Flush: partial blocks are padded with zeros and written, the tile is closed.
  bool close(bool last);

 private:
  /// The next datums but `before` come from there.
  void note_flow(const Origin& origin, u32 before) const;
  bool append_values(const u32* datum, u32 count);
  bool append_compressed(const u32* code, const u32* datum, u32 count);
  bool encode_held(bool is_last);
  bool write_run_lengths();
  bool close_compressed();
  bool append_plain(const u32* datum, u32 count);
  bool append_group(const u32* datum, u32 count);
  bool write_group();
  bool append_bytes(PackStream& stream, const u8* byte, u32 count);
  bool write_blocks(PackStream& stream, const u8* byte, u32 count);
  bool accumulate(u8* byte, u32 count);
  bool accumulate_words(const u8* old, u8* byte, u32 count);
  bool pad(PackStream& stream);
  bool in_l1(u32 address, u32 bytes);
  void note(Access access, u32 cell) const {
    if constexpr (kOnlyNotes<C>) context_.note(access, Space::Packer, cell);
  }

  const C& context_;
  const BasicSection<ConfigOf<C>>& section_;
  const Path* path_ = nullptr;
  PackerState& packer_;
};
using Output = BasicOutput<Context>;

/// An observer hears of the flight's next piece, which has been carried out: the row of Dst, and
/// what the packer has written since it was as `before`. `path`: null if it moves no rows.
void tell_piece(const Context& context, const PackFlight& flight, const Path* path,
                const PackerState& before);
/// The next row of the packer's flight; with the last of them it is over.
void land_piece(State& state, const Environment& env, Cycle now);

}  // namespace bhemu::tensix::pack
