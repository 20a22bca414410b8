// Programs on single cores, and a look at register files: what debuggers and tests of others want,
// the same for every client interface.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "host/program/elf.hpp"

namespace bhemu::host {

/// Segments for L1 go to their load addresses, those for local memory to that of `core` (there is
/// no way to that of an ERISC); memory
/// beyond their contents becomes zero. Returns the entry point. Throws InputError for a tile that
/// is none and for a segment that the core has no memory for.
u32 load_elf(Device& device, Coord tile, CoreId core, const Elf& elf);

/// Lets a core go from `pc`. BRISC has no start register: it gets a jump at address 0 when `pc` is
/// not 0. Throws InputError for a tile that is none, a `pc` that is odd or beyond that jump.
void start_core(Device& device, Coord tile, CoreId core, u32 pc);
void hold_core(Device& device, Coord tile, CoreId core);

/// Register files of a tile's coprocessor as lists of words.
enum class RegisterFile : u8 {
  Dst16,         // 1024 rows of 16 halfwords, bits as stored
  SrcA,          // the matrix unit's bank: 64 rows of 16
  SrcB,          // the same
  LReg,          // 17 of 32 lanes
  Gpr,           // 3 threads of 64
  Config,        // 2 banks
  ThreadConfig,  // 3 threads
};
inline constexpr unsigned kRegisterFiles = 7;
/// "dst16", "srca", ...; none for another name.
std::optional<RegisterFile> register_file_named(std::string_view name);
size_t register_words(RegisterFile file);
/// Data format code of the matrix unit's bank of SrcA or SrcB: what the unpacker filled it as.
/// Cells of formats with 5 bits of exponent have it in the low end of the 8-bit one, with a bias of
/// 15; those of integers their magnitude where the mantissa is.
u32 source_format(Device& device, Coord tile, RegisterFile file);
/// Throws InputError for a tile that is none and a range that is not in the file.
void read_registers(Device& device, Coord tile, RegisterFile file, size_t first,
                    std::span<u32> words);

/// A circular buffer of the kernel that a tile was told to run last. `received` and `acked` count
/// pages modulo 2^16, in the overlay stream of the buffer's number as tt-metal uses it.
struct CircularBuffer {
  u32 index = 0;
  u32 address = 0;  // L1; bytes
  u32 size = 0;     // bytes
  u32 pages = 0;
  u32 page_size = 0;  // bytes
  u32 received = 0;
  u32 acked = 0;
};
/// As the launch message in the tile's L1 says (mailboxes.hpp, kProtocol96); none when no message
/// has been written. Throws InputError for a tile that is none, and for a message that makes no
/// sense: other software runs there.
std::vector<CircularBuffer> circular_buffers(Device& device, Coord tile);

/// The tile, or InputError: "there is no Tensix tile at (8, 0)".
tile::Tile& tensix_tile(Device& device, Coord tile);
/// The same, an Ethernet tile for the cores of one.
tile::Tile& tile_with(Device& device, Coord tile, CoreId core);

}  // namespace bhemu::host
