#include "host/report/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bits.hpp"
#include "host/boot/mailboxes.hpp"
#include "host/error.hpp"
#include "tensix/state.hpp"
#include "tile/debug_registers.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

namespace reg = tile::debug_reg;

constexpr u32 kDebugRegisters = 0xFFB12000;
constexpr u32 kEthernetStart = 0xFFB14000;  // RESET_PC_0; RESET_PC_1 is 8 bytes on
constexpr std::array<u32, kCores> kLdmWindow = {0xFFB14000, 0xFFB16000, 0xFFB18000, 0xFFB1A000,
                                                0xFFB1C000};

u32 read_debug(Device& device, Coord tile, u32 offset) {
  u32 value = 0;
  device.read32(tile, kDebugRegisters + offset, value);
  return value;
}

void write_debug(Device& device, Coord tile, u32 offset, u32 value) {
  device.write32(tile, kDebugRegisters + offset, value);
}

u32 reset_bit(const tile::Tile& tile, CoreId core) {
  return 1u << tile.shape().reset_bit[index_of(core)];
}

/// `jal x0, pc` at address 0.
u32 jump_to(u32 pc) {
  return bits(pc, 1, 10) << 21 | bits(pc, 11, 1) << 20 | bits(pc, 12, 8) << 12 | 0x6F;
}

/// Words of a register file that lie one after the other in memory.
template <class Rows>
void copy_rows(const Rows& rows, size_t first, std::span<u32> words) {
  constexpr size_t kRow = 16;
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = rows[(first + i) / kRow].datum[(first + i) % kRow];
}

template <class Banks>
void copy_banks(const Banks& banks, size_t first, std::span<u32> words) {
  const size_t size = banks[0].size();
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = banks[(first + i) / size][(first + i) % size];
}

u32 read_field(Device& device, Coord tile, u32 address, u32 bytes) {
  u32 value = 0;
  device.read(tile, address, {reinterpret_cast<u8*>(&value), bytes});
  return value;
}

struct FileInfo {
  const char* name;
  size_t words;
};

constexpr size_t kRowDatums = tensix::kRowDatums;
constexpr std::array<FileInfo, kRegisterFiles> kFiles = {{
    {"dst16", tensix::kDstRows* kRowDatums},
    {"srca", tensix::kSrcRows* kRowDatums},
    {"srcb", tensix::kSrcRows* kRowDatums},
    {"lreg", tensix::kLRegs* tensix::kLanes},
    {"gpr", kThreads* tensix::kGprs},
    {"config", 2 * std::tuple_size_v<tensix::ConfigWords>},
    {"thread_config", kThreads* std::tuple_size_v<tensix::ThreadConfigWords>},
}};

}  // namespace

tile::Tile& tensix_tile(Device& device, Coord tile) {
  tile::Tile* found = device.tile_of(device.board().node_at_translated(tile));
  if (found == nullptr || !found->shape().is_tensix())
    throw InputError("", "", fmt::format("there is no Tensix tile at ({}, {})", tile.x, tile.y));
  return *found;
}

tile::Tile& tile_with(Device& device, Coord tile, CoreId core) {
  if (core < CoreId::Erisc0) return tensix_tile(device, tile);
  tile::Tile* found = device.tile_of(device.board().node_at_translated(tile));
  if (found == nullptr || found->shape().is_tensix())
    throw InputError("", "", fmt::format("there is no Ethernet tile at ({}, {})", tile.x, tile.y));
  return *found;
}

u32 load_elf(Device& device, Coord tile, CoreId core, const Elf& elf) {
  tile_with(device, tile, core);
  for (const Segment& segment : elf.segments()) {
    std::vector<u8> bytes = segment.data;
    bytes.resize(segment.memory_size);
    u64 address = segment.load_address;
    if (address >= kLdmStart) {
      if (address - kLdmStart + bytes.size() > riscv::ldm_size_of(core))
        throw InputError(elf.name(), fmt::format("segment at {:#x}", address),
                         fmt::format("{} has {} bytes of local memory", name_of(agent_of(core)),
                                     riscv::ldm_size_of(core)));
      if (core >= CoreId::Erisc0)
        throw InputError(elf.name(), fmt::format("segment at {:#x}", address),
                         "local memory of an Ethernet tile's cores cannot be reached from outside: "
                         "the program has to fill it");
      address += kLdmWindow[index_of(core)] - kLdmStart;
    }
    if (!device.write(tile, address, bytes))
      throw InputError(elf.name(), fmt::format("segment at {:#x}", address),
                       "the tile has no memory there");
  }
  return elf.entry();
}

void start_core(Device& device, Coord tile, CoreId core, u32 pc) {
  const tile::Tile& found = tile_with(device, tile, core);
  if (pc % 4 != 0)
    throw InputError("", "", fmt::format("{:#x} is no address of an instruction", pc));
  constexpr u32 kFarthest = 1u << 20;
  switch (core) {
    case CoreId::Brisc:
      if (pc >= kFarthest)
        throw InputError("", "", fmt::format("a jump from 0 does not reach {:#x}", pc));
      if (pc != 0) device.write32(tile, 0, jump_to(pc));
      break;
    case CoreId::Ncrisc:
      write_debug(device, tile, reg::NCRISC_RESET_PC, pc);
      write_debug(device, tile, reg::NCRISC_RESET_PC_OVERRIDE, 1);
      break;
    case CoreId::Erisc0:
    case CoreId::Erisc1:
      device.write32(tile, kEthernetStart + 8 * index_of(core), pc);
      break;
    default: {
      const u32 thread = static_cast<u32>(core) - static_cast<u32>(CoreId::Trisc0);
      write_debug(device, tile, reg::TRISC0_RESET_PC + thread * 4, pc);
      const u32 override = read_debug(device, tile, reg::TRISC_RESET_PC_OVERRIDE);
      write_debug(device, tile, reg::TRISC_RESET_PC_OVERRIDE, override | 1u << thread);
    }
  }
  const u32 held = read_debug(device, tile, reg::SOFT_RESET_0);
  write_debug(device, tile, reg::SOFT_RESET_0, held | reset_bit(found, core));
  write_debug(device, tile, reg::SOFT_RESET_0, held & ~reset_bit(found, core));
}

void hold_core(Device& device, Coord tile, CoreId core) {
  const tile::Tile& found = tile_with(device, tile, core);
  const u32 held = read_debug(device, tile, reg::SOFT_RESET_0);
  write_debug(device, tile, reg::SOFT_RESET_0, held | reset_bit(found, core));
}

std::optional<RegisterFile> register_file_named(std::string_view name) {
  for (unsigned i = 0; i < kRegisterFiles; ++i)
    if (name == kFiles[i].name) return static_cast<RegisterFile>(i);
  return std::nullopt;
}

size_t register_words(RegisterFile file) {
  const auto index = static_cast<unsigned>(file);
  return index < kRegisterFiles ? kFiles[index].words : 0;
}

u32 source_format(Device& device, Coord tile, RegisterFile file) {
  const tensix::FpuState& fpu = tensix_tile(device, tile).coprocessor().state().fpu;
  const tensix::SrcFile& source = file == RegisterFile::SrcB ? fpu.src_b : fpu.src_a;
  return source.format[source.matrix_bank];
}

void read_registers(Device& device, Coord tile, RegisterFile file, size_t first,
                    std::span<u32> words) {
  const tensix::State& state = tensix_tile(device, tile).coprocessor().state();
  const size_t size = register_words(file);
  if (first > size || words.size() > size - first)
    throw InputError("", "",
                     fmt::format("words {} to {} are not in a register file of {} words", first,
                                 first + words.size(), size));
  switch (file) {
    case RegisterFile::Dst16:
      return copy_rows(state.fpu.dst.row, first, words);
    case RegisterFile::SrcA:
      return copy_rows(state.fpu.src_a.matrix_rows(), first, words);
    case RegisterFile::SrcB:
      return copy_rows(state.fpu.src_b.matrix_rows(), first, words);
    case RegisterFile::LReg:
      for (size_t i = 0; i < words.size(); ++i)
        words[i] = state.sfpu.lreg[(first + i) / tensix::kLanes].lane[(first + i) % tensix::kLanes];
      return;
    case RegisterFile::Gpr:
      return copy_banks(state.thcon.gpr, first, words);
    case RegisterFile::Config:
      return copy_banks(state.cfg.bank, first, words);
    case RegisterFile::ThreadConfig:
      return copy_banks(state.cfg.thread, first, words);
  }
}

std::vector<CircularBuffer> circular_buffers(Device& device, Coord tile) {
  // Each buffer counts in the stream of its number (firmware/README.md; tt-metal
  // tt_metal/hw/inc/api/dataflow, get_cb_tiles_received_ptr).
  constexpr u32 kStreams = 0xFFB40000;
  constexpr u32 kStreamBytes = 0x1000;
  constexpr u32 kAcked = 0x20;
  constexpr u32 kReceived = 0x28;
  constexpr u32 kCountMask = 0xFFFF;
  tensix_tile(device, tile);
  const Protocol& protocol = kProtocol96;
  const u32 slot = read_field(device, tile, protocol.launch_message_read_pointer, 4);
  const u32 message =
      protocol.launch_ring + slot % protocol.launch_ring_size * protocol.launch.bytes;
  const u32 mask = read_field(device, tile, message + protocol.launch.local_cb_mask, 4);
  const u32 base = read_field(device, tile, message + protocol.launch.kernel_config_base, 4) +
                   read_field(device, tile, message + protocol.launch.local_cb_offset, 2);
  std::vector<CircularBuffer> buffers;
  for (u32 index = 0; index < 32; ++index) {
    if ((mask >> index & 1) == 0) continue;
    std::array<u32, kLocalCbConfigBytes / 4> words{};
    const u64 at = u64{base} + index * kLocalCbConfigBytes;
    const bool there = at + kLocalCbConfigBytes <= kL1Size &&
                       device.read(tile, at, {reinterpret_cast<u8*>(words.data()), sizeof words});
    const auto [address, size, pages, page_size] = words;
    if (!there || u64{address} + size > kL1Size || u64{pages} * page_size > size)
      throw InputError("", "",
                       fmt::format("({}, {}) has no launch message that bhemu understands: "
                                   "circular buffer {} of its kernel lies at {:#x}, {} bytes, {} "
                                   "pages of {}",
                                   tile.x, tile.y, index, address, size, pages, page_size));
    const u32 stream = kStreams + index * kStreamBytes;
    buffers.push_back({index, address, size, pages, page_size,
                       read_field(device, tile, stream + kReceived, 4) & kCountMask,
                       read_field(device, tile, stream + kAcked, 4) & kCountMask});
  }
  return buffers;
}

}  // namespace bhemu::host
