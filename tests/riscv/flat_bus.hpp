// A Bus with L1 and nothing else: any other address is a fault. Loaded by tests and benchmarks.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "riscv/execute.hpp"
#include "riscv/jit/run.hpp"
#include "riscv/lines.hpp"

namespace bhemu::riscv {

/// What a FlatBus owns; several buses (cores) may share one.
struct FlatMemory {
  std::vector<u8> l1 = std::vector<u8>(kL1Size);
  std::vector<u8> flags = std::vector<u8>(kL1Size / 64);
  CodeLines lines{std::make_shared<LineCache>()};
  u64 dropped_lines = 0;
  jit::Translations* translations = nullptr;

  /// The tile's door: lines that the write touches are decoded again.
  void write(u32 address, const void* source, u32 bytes) {
    for (u32 line = address >> 6; line <= (address + bytes - 1) >> 6; ++line) {
      if (flags[line] == 0) continue;
      ++dropped_lines;
      lines.forget(line << 6);
    }
    if (translations != nullptr) translations->before_write(address, bytes);
    std::memcpy(l1.data() + address, source, bytes);
  }
  void write32(u32 address, u32 value) { write(address, &value, 4); }
  u32 read32(u32 address) const {
    u32 value;
    std::memcpy(&value, l1.data() + address, 4);
    return value;
  }
  void write_words(u32 address, const std::vector<u32>& words) {
    write(address, words.data(), static_cast<u32>(words.size() * 4));
  }
};

template <bool Record>
struct BasicFlatBus {
  static constexpr bool kRecord = Record;
  static constexpr u32 kL1Bytes = kL1Size;
  explicit BasicFlatBus(FlatMemory& memory, u32 ldm_bytes = 0x2000)
      : memory(memory),
        l1(memory.l1.data()),
        l1_flags(memory.flags.data()),
        code(memory.lines.table()),
        ldm_size(ldm_bytes) {}

  Loaded load(CoreState& state, u32 address, u32 size) {
    attention = attention_on_device;
    const auto device = devices.find(address);
    if (device != devices.end()) return {device->second, device_outcome};
    return {0, no_device(state, address, size)};
  }
  Outcome store(CoreState& state, u32 address, u32 size, u32 value) {
    attention = attention_on_device;
    const auto device = devices.find(address);
    if (device == devices.end()) return no_device(state, address, size);
    if (device_outcome == Outcome::Ok) device->second = value;
    return device_outcome;
  }
  bool load_at_once(u32, u32&, Cycle) { return false; }
  bool store_at_once(u32, u32, u32, Cycle) { return false; }
  u32 push_at_once(u32, std::span<const u32> words, Cycle) {
    if (push_outcome != Outcome::Ok) return 0;
    const u32 count = std::min(at_once, static_cast<u32>(words.size()));
    pushed.insert(pushed.end(), words.begin(), words.begin() + count);
    return count;
  }
  Outcome store_l1(CoreState&, u32 address, const void* source, u32 bytes) {
    memory.write(address, source, bytes);
    return Outcome::Ok;
  }
  Outcome push_tensix(CoreState&, u32 word) {
    if (push_outcome == Outcome::Ok) pushed.push_back(word);
    return push_outcome;
  }
  Loaded read_csr(CoreState&, u32 csr) { return {status_base + csr, Outcome::Ok}; }
  Outcome write_csr(CoreState&, u32 csr, u32 value) {
    csr_writes.emplace_back(csr, value);
    return Outcome::Ok;
  }
  void decode(u32 pc) {
    memory.lines.decode(pc, l1);
    mark_code(pc);
  }
  void mark_code(u32 address) { memory.flags[address >> 6] |= 1; }
  bool raise(CoreState& state, Rule rule, std::string text) {
    faults.push_back({rule, state.pc, std::move(text)});
    return !tolerant && info_of(rule).severity == Severity::Error;
  }
  bool has_debugger() const { return debugger; }
  void pause() {
    ++pauses;
    attention = true;
  }
  void note_clock() { ++clock_looks; }
  void note_load_l1(u32 address, u32 size) { loads.emplace_back(address, size); }
  void note_impure() { ++impure; }

  Outcome no_device(CoreState& state, u32 address, u32) {
    return raise(state, Rule::TileUnmappedAddress, std::to_string(address)) ? Outcome::Stop
                                                                            : Outcome::Ok;
  }

  struct Raised {
    Rule rule;
    u32 pc;
    std::string text;
  };

  FlatMemory& memory;
  u8* l1;
  const u8* l1_flags;
  const CodeTable& code;
  u32 ldm_size;
  bool attention = false;
  u32 stop_pc = ~u32{0};

  bool tolerant = false;  // every rule's severity is Silicon
  bool attention_on_device = false;
  bool debugger = false;
  unsigned pauses = 0;
  unsigned clock_looks = 0;
  std::map<u32, u32> devices;
  Outcome device_outcome = Outcome::Ok;
  Outcome push_outcome = Outcome::Ok;
  u32 at_once = 0;  // words that `push_at_once` takes
  u32 status_base = 0x1000;
  std::vector<u32> pushed;
  std::vector<std::pair<u32, u32>> csr_writes;
  std::vector<std::pair<u32, u32>> loads;
  u64 impure = 0;
  std::vector<Raised> faults;
};

using FlatBus = BasicFlatBus<false>;
using RecordingFlatBus = BasicFlatBus<true>;

}  // namespace bhemu::riscv
