// bhemu's own boot firmware, uploaded and started through the libttsim ABI and nothing else. What
// goes where is asked of the host library, which is also what a client knows from the ELFs.
#pragma once

#include <array>
#include <cstring>
#include <span>

#include "device/board.hpp"
#include "host/boot/firmware.hpp"
#include "support/card_client.hpp"

namespace bhemu::test {

/// False: not every tile said that it is done within `limit` clocks.
inline bool boot_card(CardClient& client, const Board& board, const host::Firmware& firmware,
                      std::uint32_t limit = 1'000'000) {
  const auto word = [](u32 value) {
    std::array<u8, 4> bytes;
    std::memcpy(bytes.data(), &value, 4);
    return bytes;
  };
  // tt-umd's rectangle: all Tensix columns, whatever is harvested.
  const auto everywhere = [&](u64 address, std::span<const u8> bytes) {
    client.multicast(1, 2, 16, 11, address, bytes);
  };
  everywhere(host::kSoftReset0, word(host::kSoftResetAll));
  for (const host::Firmware::Piece& piece : firmware.image(board))
    everywhere(piece.address, piece.bytes);
  everywhere(host::kNcriscResetPc, word(firmware.elf(CoreId::Ncrisc).entry()));
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const auto core = static_cast<CoreId>(static_cast<unsigned>(CoreId::Trisc0) + thread);
    everywhere(host::kTrisc0ResetPc + 4 * thread, word(firmware.elf(core).entry()));
  }
  everywhere(host::kSoftReset0, word(host::kSoftResetBriscRuns));
  const u32 go = firmware.protocol().go_messages;
  for (u32 clocks = 0; clocks < limit; clocks += 1000) {
    libttsim_clock(1000);
    bool done = true;
    for (const Coord tile : board.tensix())
      done = done && client.read32(tile.x, tile.y, go) >> 24 == host::kGoDone;
    if (done) return true;
  }
  return false;
}

}  // namespace bhemu::test
