#include "host/boot/firmware.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "host/boot/embedded.hpp"
#include "host/boot/firmware_scan.hpp"
#include "host/error.hpp"
#include "host/file.hpp"

namespace bhemu::host {
namespace {

constexpr u32 kColumnBytes = 20;  // logical-to-virtual-coordinates section 2
constexpr u32 kRowBytes = 12;
constexpr u32 kBytesPerCbInterface = 32;
constexpr unsigned kNocEntryBytes = 2;

/// JAL x0 from address 0 to `target`: BRISC starts at 0.
u32 jump_to(u32 target) {
  return (target & 0xFF000) | ((target & 0x800) << 9) | ((target & 0x7FE) << 20) | 0x6F;
}

std::vector<u8> words(std::initializer_list<u32> values) {
  std::vector<u8> bytes(values.size() * 4);
  size_t at = 0;
  for (const u32 value : values) std::memcpy(bytes.data() + 4 * at++, &value, 4);
  return bytes;
}

std::vector<u8> logical_to_virtual(const Board& board) {
  std::set<u8> columns;
  std::set<u8> rows;
  for (const Coord tile : board.tensix()) {
    columns.insert(tile.x);
    rows.insert(tile.y);
  }
  std::vector<u8> bytes(kColumnBytes + kRowBytes, 0);
  std::copy(columns.begin(), columns.end(), bytes.begin());
  std::copy(rows.begin(), rows.end(), bytes.begin() + kColumnBytes);
  return bytes;
}

u32 size_of_symbol(const Elf& elf, const char* name) {
  const Symbol* symbol = elf.symbol(name);
  return symbol != nullptr ? symbol->size : 0;
}

}  // namespace

Firmware Firmware::embedded() {
  std::vector<Elf> elfs;
  for (unsigned core = 0; core < kCores; ++core) {
    const std::span<const u8> bytes = embedded_firmware(core);
    if (bytes.empty())
      throw InputError("", "", "this build of bhemu has no firmware inside; give --firmware DIR");
    elfs.push_back(Elf::parse(fmt::format("built-in {}.elf", kCoreFileNames[core]),
                              {bytes.begin(), bytes.end()}));
  }
  return from_elfs("built in", std::move(elfs));
}

Firmware Firmware::load(const std::string& directory) {
  std::vector<Elf> elfs;
  for (const char* name : kCoreFileNames)
    elfs.push_back(Elf::load(fmt::format("{}/{}.elf", directory, name)));
  return from_elfs(directory, std::move(elfs));
}

Firmware Firmware::from_elfs(std::string origin, std::vector<Elf> elfs) {
  Firmware firmware;
  firmware.origin_ = std::move(origin);
  firmware.elfs_ = std::move(elfs);
  firmware.resolve();
  return firmware;
}

void Firmware::resolve() {
  constexpr u32 kReachOfJal = 0x100000;
  if (elfs_[0].entry() >= kReachOfJal)
    throw InputError(elfs_[0].name(), "",
                     fmt::format("entry point {:#x} is out of reach of the "
                                 "jump at address 0",
                                 elfs_[0].entry()));
  const FirmwareScan brisc = scan_firmware(elfs_[0]);
  if (brisc.touches(kGoMessageIndexOfNewerProtocol) && !brisc.touches(protocol().go_message_index))
    throw InputError(elfs_[0].name(), "",
                     "uses a newer launch message (64-bit circular buffer mask); supported is the "
                     "96-byte one, with the go message index at 0x3a0");
  resolve_segments();
  resolve_tables();
  check_pieces();
}

void Firmware::resolve_segments() {
  u32 lowest_staging = kL1Size;
  for (const Elf& elf : elfs_) {
    const std::optional<u32> staging = scan_firmware(elf).staging;
    for (const Segment& segment : elf.segments()) {
      const bool local = segment.virtual_address >= kLdmStart;
      u32 address = segment.load_address;
      if (local && address >= kLdmStart) {
        if (staging) lowest_staging = std::min(lowest_staging, *staging);
        if (segment.data.empty()) continue;
        if (!staging)
          throw InputError(elf.name(), fmt::format("segment at {:#x}", address),
                           "initialised local memory, but neither a load address in L1 nor code "
                           "that copies it from there");
        address = *staging + (address - kLdmStart);
      } else if (local) {
        lowest_staging = std::min(lowest_staging, address);
      }
      std::vector<u8> bytes = segment.data;
      if (!local) bytes.resize(segment.memory_size, 0);
      pieces_.push_back({address, std::move(bytes)});
    }
  }
  // In tt-metal's map the staging area ends what is fixed; kernels may overwrite it after boot.
  const Symbol* base = elfs_[0].symbol("__kernel_config_base");
  kernel_config_base_ = base != nullptr ? base->value : lowest_staging;
  if (kernel_config_base_ >= kL1Size)
    throw InputError(elfs_[0].name(), "",
                     "does not say where kernels go (no local memory staging "
                     "and no symbol __kernel_config_base)");
  const Symbol* data = elfs_[0].symbol("__data_buffer_base");
  data_buffer_base_ = data != nullptr ? data->value : protocol().data_buffer_base;
}

void Firmware::resolve_tables() {
  const Elf& brisc = elfs_[0];
  const FirmwareScan scan = scan_firmware(brisc);
  const auto copied = [&](const char* variable) -> std::optional<u32> {
    const Symbol* symbol = brisc.symbol(variable);
    return symbol != nullptr ? scan.source_of(symbol->value) : std::nullopt;
  };
  dram_entries_ = size_of_symbol(brisc, "dram_bank_to_noc_xy") / (kNocEntryBytes * kNocs);
  l1_entries_ = size_of_symbol(brisc, "l1_bank_to_noc_xy") / (kNocEntryBytes * kNocs);
  circular_buffers_ = size_of_symbol(brisc, "cb_interface") / kBytesPerCbInterface;
  const Symbol* table = brisc.symbol("__bank_to_noc_scratch");
  const std::optional<u32> address =
      table != nullptr ? std::optional<u32>(table->value) : copied("dram_bank_to_noc_xy");
  if (dram_entries_ == 0 || l1_entries_ == 0 || circular_buffers_ == 0 || !address)
    throw InputError(brisc.name(), "",
                     "no firmware of a Tensix tile: the symbols dram_bank_to_noc_xy, "
                     "l1_bank_to_noc_xy, cb_interface or the code that fills them are missing");
  bank_table_ = *address;
  const Symbol* map = brisc.symbol("__logical_to_virtual_scratch");
  logical_to_virtual_ =
      map != nullptr ? std::optional<u32>(map->value) : copied("worker_logical_col_to_virtual_col");
  const Symbol* x = brisc.symbol("my_logical_x_");
  const Symbol* y = brisc.symbol("my_logical_y_");
  if (x != nullptr && y != nullptr) {
    const auto from_x = scan.byte_source_of(x->value);
    const auto from_y = scan.byte_source_of(y->value);
    if (from_x && from_y) logical_coordinates_ = {*from_x, *from_y};
  }
}

void Firmware::check_pieces() const {
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& a = pieces_[i];
    if (a.address + a.bytes.size() > kL1Size)
      throw InputError(origin_, "", fmt::format("a segment at {:#x} lies outside L1", a.address));
    for (size_t j = 0; j < i; ++j) {
      const Piece& b = pieces_[j];
      if (!a.bytes.empty() && !b.bytes.empty() && a.address < b.address + b.bytes.size() &&
          b.address < a.address + a.bytes.size())
        throw InputError(origin_, "",
                         fmt::format("images of two cores overlap in L1 at {:#x}",
                                     std::max(a.address, b.address)));
    }
  }
}

std::vector<Firmware::Piece> Firmware::image(const Board& board) const {
  std::vector<Piece> result;
  // Tables first: the area may reach under segments that matter more.
  result.push_back({bank_table_, board.bank_table(dram_entries_, l1_entries_)});
  if (logical_to_virtual_) result.push_back({*logical_to_virtual_, logical_to_virtual(board)});
  result.insert(result.end(), pieces_.begin(), pieces_.end());
  result.push_back({0, words({jump_to(elfs_[0].entry())})});
  const u32 init = u32{kGoInit} << (8 * kGoSignalByte);
  result.push_back({protocol().go_messages, words({init})});
  result.push_back({protocol().go_message_index, words({0})});
  return result;
}

void upload(Device& device, const Firmware& firmware) {
  const Board& board = device.board();
  for (const Coord tile : board.tensix()) device.write32(tile, kSoftReset0, kSoftResetAll);
  const std::vector<Firmware::Piece> image = firmware.image(board);
  std::set<u8> columns;
  std::set<u8> rows;
  for (const Coord tile : board.tensix()) {
    columns.insert(tile.x);
    rows.insert(tile.y);
  }
  for (const Coord tile : board.tensix()) {
    for (const Firmware::Piece& piece : image) device.write(tile, piece.address, piece.bytes);
    if (const auto logical = firmware.logical_coordinates()) {
      const u8 x = static_cast<u8>(std::distance(columns.begin(), columns.find(tile.x)));
      const u8 y = static_cast<u8>(std::distance(rows.begin(), rows.find(tile.y)));
      device.write(tile, (*logical)[0], {&x, 1});
      device.write(tile, (*logical)[1], {&y, 1});
    }
    device.write32(tile, kNcriscResetPc, firmware.elf(CoreId::Ncrisc).entry());
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const auto core = static_cast<CoreId>(static_cast<unsigned>(CoreId::Trisc0) + thread);
      device.write32(tile, kTrisc0ResetPc + 4 * thread, firmware.elf(core).entry());
    }
  }
  for (const Coord tile : board.tensix()) device.write32(tile, kSoftReset0, kSoftResetBriscRuns);
}

GoWatcher::GoWatcher(Device& device, const Firmware& firmware, std::vector<Coord> tiles)
    : device_(device),
      signal_(firmware.protocol().go_messages + kGoSignalByte),
      tiles_(std::move(tiles)) {}

bool GoWatcher::done(Coord tile) {
  u8 signal = kGoInit;
  return device_.read(tile, signal_, {&signal, 1}) && signal == kGoDone;
}

bool GoWatcher::all_done() {
  // A tile that is done stays done until the host says go again, or takes the device back in time.
  if (device_.cycle() < asked_) next_ = 0;
  asked_ = device_.cycle();
  while (next_ < tiles_.size() && done(tiles_[next_])) ++next_;
  return next_ == tiles_.size();
}

std::vector<Coord> GoWatcher::pending() {
  std::vector<Coord> result;
  for (const Coord tile : tiles_)
    if (!done(tile)) result.push_back(tile);
  return result;
}

}  // namespace bhemu::host
