// bhemu for C++17 programs: the C API of bhemu.h with objects, exceptions and vectors.
//
//   bhemu_api::Device device(BHEMU_P150);
//   device.boot();
//   device.write({1, 2}, 0x1000, data);
//   device.run([&] { return device.read32({1, 2}, 0x2000) == 1; });
//
// Header only: what is called is the C interface, so the compiler need not be bhemu's own.
#pragma once

#include <bhemu/bhemu.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bhemu_api {

/// What bhemu_last_error says, with the status: BHEMU_BAD_INPUT, _HANG, _FAULT or _LIMIT.
class Error : public std::runtime_error {
 public:
  Error(int status, const std::string& text) : std::runtime_error(text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// Translated NoC 0 coordinates.
struct Tile {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};

struct Fault {
  std::string rule;
  bool is_error = false;
  Tile tile;
  std::string agent;
  std::uint32_t pc = 0;
  std::uint64_t cycle = 0;
  std::string text;
};

/// One emulated card. Any number may live in one process; each is used by one thread at a time.
class Device {
 public:
  static constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

  explicit Device(bhemu_board board) : Device(bhemu_default_options(board)) {}
  explicit Device(const bhemu_options& options) : Device(bhemu_create(&options)) {}

  std::vector<Tile> tensix_tiles() const {
    std::vector<std::uint8_t> x(bhemu_tensix_tiles(handle(), nullptr, nullptr, 0));
    std::vector<std::uint8_t> y(x.size());
    bhemu_tensix_tiles(handle(), x.data(), y.data(), x.size());
    std::vector<Tile> tiles;
    for (std::size_t i = 0; i < x.size(); ++i) tiles.push_back({x[i], y[i]});
    return tiles;
  }
  std::uint32_t dram_banks() const { return bhemu_dram_banks(handle()); }

  // --- Memory. Any size and alignment; registers of tiles too.
  void read(Tile tile, std::uint64_t address, void* target, std::size_t bytes) {
    check(bhemu_read(handle(), tile.x, tile.y, address, target, bytes));
  }
  void write(Tile tile, std::uint64_t address, const void* source, std::size_t bytes) {
    check(bhemu_write(handle(), tile.x, tile.y, address, source, bytes));
  }
  template <class T>
  void write(Tile tile, std::uint64_t address, const std::vector<T>& data) {
    write(tile, address, data.data(), data.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> read(Tile tile, std::uint64_t address, std::size_t count) {
    std::vector<T> data(count);
    read(tile, address, data.data(), count * sizeof(T));
    return data;
  }
  std::uint32_t read32(Tile tile, std::uint64_t address) {
    std::uint32_t value = 0;
    read(tile, address, &value, sizeof value);
    return value;
  }
  void write32(Tile tile, std::uint64_t address, std::uint32_t value) {
    write(tile, address, &value, sizeof value);
  }
  /// To every live Tensix tile of the inclusive rectangle.
  void multicast(Tile first, Tile last, std::uint64_t address, const void* source,
                 std::size_t bytes) {
    check(bhemu_multicast(handle(), first.x, first.y, last.x, last.y, address, source, bytes));
  }
  void read_dram(std::uint32_t bank, std::uint64_t offset, void* target, std::size_t bytes) {
    check(bhemu_read_dram(handle(), bank, offset, target, bytes));
  }
  void write_dram(std::uint32_t bank, std::uint64_t offset, const void* source, std::size_t bytes) {
    check(bhemu_write_dram(handle(), bank, offset, source, bytes));
  }

  // --- Programs and time.
  /// The five ELFs of a directory; empty: bhemu's own firmware.
  void boot(const std::string& directory = "") {
    check(bhemu_boot(handle(), directory.empty() ? nullptr : directory.c_str()));
  }
  /// Returns the entry point.
  std::uint32_t load_elf(Tile tile, bhemu_core core, const std::string& path) {
    std::uint32_t entry = 0;
    check(bhemu_load_elf(handle(), tile.x, tile.y, core, path.c_str(), &entry));
    return entry;
  }
  /// A file or a folder in which reports look for the code that they find in L1.
  void register_elf(const std::string& path) { check(bhemu_register_elf(handle(), path.c_str())); }
  void start_core(Tile tile, bhemu_core core, std::uint32_t pc) {
    check(bhemu_start_core(handle(), tile.x, tile.y, core, pc));
  }
  void hold_core(Tile tile, bhemu_core core) {
    check(bhemu_hold_core(handle(), tile.x, tile.y, core));
  }
  /// Until `done` holds. Throws Error at the limit, for a hang and for a fault, each with its
  /// report. What `done` throws comes out here.
  void run(const std::function<bool()>& done, std::uint64_t max_cycles = kForever) {
    struct Asked {
      const std::function<bool()>& done;
      std::exception_ptr thrown;
    } asked{done, nullptr};
    const auto ask = [](bhemu_device*, void* user) {
      auto& self = *static_cast<Asked*>(user);
      try {
        return self.done() ? 1 : 0;
      } catch (...) {
        self.thrown = std::current_exception();
        return 1;
      }
    };
    const int status = bhemu_run(handle(), max_cycles, ask, &asked);
    if (asked.thrown) std::rethrow_exception(asked.thrown);
    check(status);
  }
  /// At least `cycles`. Throws Error for a fault.
  void advance(std::uint64_t cycles) { check(bhemu_advance(handle(), cycles)); }
  std::uint64_t cycle() const { return bhemu_cycle(handle()); }
  std::uint64_t hash() { return bhemu_hash(handle()); }

  // --- Looking inside.
  /// Of the kernel that the tile was told to run last.
  std::vector<bhemu_circular_buffer> circular_buffers(Tile tile) {
    std::vector<bhemu_circular_buffer> buffers(32);
    std::size_t count = 0;
    check(bhemu_circular_buffers(handle(), tile.x, tile.y, buffers.data(), buffers.size(), &count));
    buffers.resize(count);
    return buffers;
  }
  bhemu_core_state core(Tile tile, bhemu_core core) {
    bhemu_core_state state{};
    check(bhemu_read_core(handle(), tile.x, tile.y, core, &state));
    return state;
  }
  std::vector<std::uint32_t> registers(Tile tile, bhemu_registers file) {
    std::vector<std::uint32_t> words(bhemu_register_words(file));
    check(bhemu_read_registers(handle(), tile.x, tile.y, file, 0, words.size(), words.data()));
    return words;
  }
  std::vector<Fault> faults() {
    std::vector<Fault> all;
    for (std::size_t i = 0; i < bhemu_fault_count(handle()); ++i) {
      bhemu_fault fault{};
      check(bhemu_get_fault(handle(), i, &fault));
      all.push_back({fault.rule,
                     fault.is_error != 0,
                     {fault.x, fault.y},
                     fault.agent,
                     fault.pc,
                     fault.cycle,
                     fault.text});
    }
    return all;
  }
  void set_rule(const std::string& rule, bhemu_rule_level level) {
    check(bhemu_set_rule(handle(), rule.c_str(), level));
  }
  void clear_faults() { bhemu_clear_faults(handle()); }

  // --- Copies.
  std::vector<std::uint8_t> snapshot() {
    void* data = nullptr;
    std::size_t bytes = 0;
    check(bhemu_snapshot(handle(), &data, &bytes));
    const auto* from = static_cast<const std::uint8_t*>(data);
    std::vector<std::uint8_t> result(from, from + bytes);
    bhemu_free(data);
    return result;
  }
  void restore(const std::vector<std::uint8_t>& snapshot) {
    check(bhemu_restore(handle(), snapshot.data(), snapshot.size()));
  }
  Device clone() { return Device(bhemu_clone(handle())); }

  /// For functions of the C API; stays this object's.
  bhemu_device* handle() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(bhemu_device* device) const { bhemu_destroy(device); }
  };
  explicit Device(bhemu_device* handle) : handle_(handle) {
    if (handle == nullptr) throw Error(BHEMU_BAD_INPUT, bhemu_last_error());
  }
  static void check(int status) {
    if (status != BHEMU_OK) throw Error(status, bhemu_last_error());
  }

  std::unique_ptr<bhemu_device, Destroy> handle_;
};

}  // namespace bhemu_api
