// What the packer keeps between PACR instructions. Owner: src/tensix/pack.
#pragma once

#include <array>
#include <type_traits>

#include "base/types.hpp"

namespace bhemu::tensix {

/// One of the streams that the packer writes to L1 in aligned blocks of 16 bytes.
struct PackStream {
  u32 address = 0;  // L1 byte address of the block being filled
  u32 fill = 0;     // bytes of it that are there
  std::array<u8, 16> block{};
};

/// Sizes of closed tiles as TDMA-RISC reads them; the depth is not documented.
inline constexpr u32 kPackMetadataFifo = 16;

/// What compression (Packers/Compression.md) knows of the open tile.
struct PackCompressor {
  PackStream row_starts;             // one 16-bit index for each row
  std::array<u8, 16> run_lengths{};  // of the open group of 32 datums, 4 bits each
  u32 held = 0;                      // latest datum: whether it ends its row is not known yet
  u32 stored = 0;                    // datums in the tile so far
  u32 row = 0;                       // rows begun
  u32 zero_flags = 0;                // one bit for each of the first 32 rows: all of it is zero
  u8 group_fill = 0;                 // datums in the open group of 32
  bool active = false;               // the open tile is compressed
  bool row_open = false;             // the next PACR continues the row
  bool row_has_datum = false;        // the first datum of the row is in the stream
  bool row_is_zero = false;
  bool has_held = false;
  bool held_is_zero = false;
  u8 zeros = 0;  // run behind the latest stored datum
};

struct PackerState {
  // --- The open tile. Closed (NeedsNewAddress): the next PACR forms new addresses.
  u32 start_address = 0;
  PackStream exponents;
  PackStream data;
  /// Datums of a block float that still wait for their group of 16: s e8 m7.
  std::array<u16, 16> group{};
  u8 group_fill = 0;
  u8 out_format = 0;  // of the open tile
  bool open = false;
  /// Datums of the tile so far, modulo 16 (RowPadZero).
  u8 phase = 0;
  PackCompressor compressor;

  // --- Tile position generator (edge masks). `y` is the 8-bit TilePosition of PACR.md.
  u8 y = 0;
  u8 z = 0;

  // --- Statistics, cleared by CLREXPHIST.
  u8 max_exponent = 0;
  std::array<u8, 32> exponent_histogram{};

  // --- The context that CtxtCtrl tracks, and the planes packed in it.
  u8 context = 0;
  u16 context_planes = 0;

  // --- Sideband, written and read by TDMA-RISC (mover/tdma.cpp).
  u16 last_thread = 0;
  /// One generator for each column, for stochastic rounding (numeric/format_stochastic.hpp).
  std::array<u32, 16> random{};
  u32 last_tile_size = 0;  // 16-byte units
  std::array<u16, kThreads> accumulated_size{};
  u16 l1_address_offset = 0;
  std::array<u32, kPackMetadataFifo> closed_sizes{};
  std::array<u32, kPackMetadataFifo> closed_zero_flags{};
  u32 closed_head = 0;
  u32 closed_tail = 0;
  std::array<u16, 4> setreg_scaler{};
  u32 setreg_base_raw = 0;
  /// What PACR_SETREG writes; set by its other flavour.
  u32 setreg_data = 0;
};
// The state hash reads the bytes.
static_assert(std::has_unique_object_representations_v<PackerState>);

}  // namespace bhemu::tensix
