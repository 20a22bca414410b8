#include "kmd/bus_memory.hpp"

#include <algorithm>

#include "base/bits.hpp"

namespace bhemu::kmd {
namespace {

// Addresses begin above 4 GiB, like those that Linux gives once the low ones are used up, so that a
// client which keeps only 32 bits is found out.
constexpr u64 kFirst = u64{1} << 32;
constexpr u64 kAlignment = u64{2} << 20;

}  // namespace

u64 BusMemory::add(std::span<u8> memory, bool read_only) {
  u64 at = kFirst;
  for (const auto& [first, piece] : pieces_) {
    // Pieces of one stretch touch; nothing else borders on anything.
    if (first >= at && first - at >= memory.size() + kAlignment) break;
    at = align_up(first + piece.memory.size() + 1, kAlignment);
  }
  pieces_.emplace(at, Piece{memory, read_only});
  return at;
}

void BusMemory::remove(u64 address, u64 bytes) {
  pieces_.erase(pieces_.lower_bound(address), pieces_.lower_bound(address + bytes));
}

void BusMemory::move(u64 address, std::span<u8> memory) {
  const u64 end = address + memory.size();
  for (auto at = std::prev(pieces_.upper_bound(address)); at != pieces_.end() && at->first < end;) {
    const auto [first, piece] = *at;
    const u64 last = first + piece.memory.size();
    at = pieces_.erase(at);
    if (first < address)
      pieces_.emplace(first, Piece{piece.memory.first(address - first), piece.read_only});
    if (last > end) pieces_.emplace(end, Piece{piece.memory.last(last - end), piece.read_only});
    const u64 from = std::max(first, address);
    const u64 to = std::min(last, end);
    pieces_.emplace(from, Piece{memory.subspan(from - address, to - from), piece.read_only});
  }
}

template <class Access>
bool BusMemory::each_piece(u64 address, u32 bytes, Access access) {
  for (u64 done = 0; done < bytes;) {
    const auto after = pieces_.upper_bound(address + done);
    if (after == pieces_.begin()) return false;
    const auto& [first, piece] = *std::prev(after);
    const u64 offset = address + done - first;
    if (offset >= piece.memory.size()) return false;
    const u64 part = std::min<u64>(bytes - done, piece.memory.size() - offset);
    pcie::SpanMemory memory(piece.memory, first);
    if (!access(piece, memory, address + done, done, static_cast<u32>(part))) return false;
    done += part;
  }
  return true;
}

bool BusMemory::read(u64 address, void* target, u32 bytes) {
  return each_piece(address, bytes,
                    [&](const Piece&, pcie::SpanMemory& memory, u64 from, u64 done, u32 part) {
                      return memory.read(from, static_cast<u8*>(target) + done, part);
                    });
}

bool BusMemory::write(u64 address, const void* source, u32 bytes) {
  return each_piece(address, bytes,
                    [&](const Piece& piece, pcie::SpanMemory& memory, u64 to, u64 done, u32 part) {
                      return !piece.read_only &&
                             memory.write(to, static_cast<const u8*>(source) + done, part);
                    });
}

}  // namespace bhemu::kmd
