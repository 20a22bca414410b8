// Any sequence of accesses that a host could make of a card, as bytes: the fuzzer's way in, and
// that of tests/card.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "card/function.hpp"
#include "pcie/host_memory.hpp"

namespace bhemu::test {

class CardFuzz {
 public:
  explicit CardFuzz(std::span<const u8> bytes) : bytes_(bytes) { device_.set_host_memory(&host_); }
  ~CardFuzz() { device_.set_host_memory(nullptr); }

  /// Does what the bytes say until they end. Returns how many accesses the card refused.
  unsigned run() {
    unsigned refused = 0;
    while (!bytes_.empty()) {
      try {
        step();
      } catch (const card::AccessError&) {
        ++refused;
      }
    }
    return refused;
  }

 private:
  template <class T>
  T take() {
    T value{};
    const size_t count = std::min(sizeof value, bytes_.size());
    if (count != 0) std::memcpy(&value, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return value;
  }
  /// Near an edge as often as anywhere.
  u64 offset_below(u64 limit) {
    static constexpr u64 kEdges[] = {0,          0x193FFFFC, 0x19400000, 0x1FC00000, 0x1FC009D8,
                                     0x1FC00A54, 0x1FD04044, 0x1FD14100, 0x1FF,      0x1000};
    const u8 kind = take<u8>();
    const u64 near = kind < 128 ? kEdges[kind % std::size(kEdges)] : take<u64>();
    return (near + take<u8>() - 8) % limit;
  }
  u64 size() {
    const u8 kind = take<u8>();
    return kind < 200 ? kind % 67 : u64{take<u16>()} * 8;
  }

  void aim() {
    const u8 window = take<u8>() % 210;
    static constexpr u64 kPlaces[] = {0x0000'0000, 0xFFB0'0000,  0xFFE0'0000,          0x8000'0000,
                                      0x1000'0000, u64{1} << 60, 0xF800'0000'0000'0000};
    const u8 kind = take<u8>();
    const u64 address = kind < 224 ? kPlaces[kind % std::size(kPlaces)] : take<u64>();
    const u32 x = take<u8>() % 40;
    const u32 y = take<u8>() % 40;
    const u64 low = window < 202
                        ? (address >> 21 & ((u64{1} << 43) - 1)) | u64{x} << 43 | u64{y} << 49
                        : address >> 32 | u64{x} << 32 | u64{y} << 38;
    const u32 high = take<u8>() % 4 == 0 ? take<u32>() : 0;
    const u32 words[3] = {static_cast<u32>(low), static_cast<u32>(low >> 32), high};
    function_.bar_write(0, card::Function::kWindowRegisters + window * 12u,
                        {reinterpret_cast<const u8*>(words), sizeof words});
  }

  void access() {
    const u8 kind = take<u8>();
    const unsigned bar = kind % 3 * 2;
    const u64 limit = bar == 0   ? card::Function::kBar0Bytes
                      : bar == 2 ? card::Function::kBar2Bytes
                                 : card::Function::kBar4Bytes;
    const u64 address = function_.bar_base(bar) + offset_below(limit);
    std::vector<u8> data(size());
    if ((kind & 0x80) != 0) {
      function_.read(address, data);
      return;
    }
    for (u8& byte : data) byte = take<u8>();
    function_.write(address, data);
  }

  void step() {
    switch (take<u8>() % 8) {
      case 0:
        function_.config_write(take<u8>() % 72, take<u32>());
        break;
      case 1:
        function_.config_read(take<u8>() % 72);
        break;
      case 2:
      case 3:
        aim();
        break;
      case 4:
        device_.advance(take<u16>());
        break;
      default:
        access();
    }
  }

  static DeviceOptions options() {
    DeviceOptions options;
    options.board = BoardOptions::defaults(BoardModel::P150);
    return options;
  }

  std::span<const u8> bytes_;
  std::vector<u8> memory_ = std::vector<u8>(1 << 16);
  pcie::SpanMemory host_{memory_, 0};
  Device device_{options()};
  card::Function function_{device_};
};

}  // namespace bhemu::test
