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

  // --- Tile position generator (edge masks). `y` is the 8-bit TilePosition of PACR.md.
  u8 y = 0;
  u8 z = 0;

  // --- Statistics, cleared by CLREXPHIST.
  u8 max_exponent = 0;
  std::array<u8, 32> exponent_histogram{};

  // --- Sideband, written and read by TDMA-RISC (mover/tdma.cpp).
  u16 last_thread = 0;
  u32 last_tile_size = 0;  // 16-byte units
  std::array<u16, kThreads> accumulated_size{};
  u16 l1_address_offset = 0;
  std::array<u32, kPackMetadataFifo> closed_sizes{};
  u32 closed_head = 0;
  u32 closed_tail = 0;
  std::array<u32, 2> setreg_base{};
  std::array<u16, 4> setreg_scaler{};
  u32 setreg_base_raw = 0;
};
// The state hash reads the bytes.
static_assert(std::has_unique_object_representations_v<PackerState>);

}  // namespace bhemu::tensix
