// A program file on a device that lives on: written to it, started, asked what came of it. And the
// look-out for a program counter.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/boot/firmware.hpp"
#include "host/boot/prepared.hpp"
#include "host/report/report.hpp"
#include "tile/onlooker.hpp"

namespace bhemu::python {

class LoadedProgram {
 public:
  /// `inputs`: .npy files that take the place of tensors' sources, by name. Throws InputError.
  LoadedProgram(const std::string& path, const std::map<std::string, std::string>& inputs,
                Device& device, std::shared_ptr<const host::Firmware> firmware);
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  /// The device must be booted, and no other program of it be under way.
  /// Throws InputError while a tile of the program runs something else.
  void check_free(Device& device) const;
  void start(Device& device);
  bool is_done(Device& device) const;
  const host::PreparedProgram& prepared() const { return *prepared_; }
  /// Writes every tensor as it is now to `directory`, as NAME.npy.
  void save(Device& device, const std::string& directory) const;
  /// Where the function `symbol` of a core's kernel runs. Throws InputError.
  u32 address_of(CoreId core, const std::string& symbol) const;
  /// For reports: which kernel is where.
  void add_code(host::CodeMap& code) const;

 private:
  host::Program program_;
  std::shared_ptr<const host::Firmware> firmware_;
  std::unique_ptr<host::PreparedProgram> prepared_;
};

/// Semaphores (value, maximum), holders of mutexes, and what the threads wait for.
pybind11::dict sync_of(Device& device, Coord at);

/// Looks out for a core of some tiles to come by a program counter. Takes the device's onlookers;
/// they are free again when this goes.
class PcWatch final : public tile::Onlooker {
 public:
  struct Hit {
    Coord tile;
    Cycle cycle = 0;
    std::array<u32, 33> x{};
  };
  PcWatch(Device& device, const std::vector<Coord>& tiles, CoreId core, u32 pc);
  ~PcWatch() override;

  void before_instruction(tile::Tile& tile, unsigned core) override;
  void before_l1_write(tile::Tile&, u32, u32, const Author&) override {}
  /// The first that came by, tiles in their order where that is the same cycle; none yet.
  std::optional<Hit> first() const;

 private:
  Device& device_;
  std::vector<NodeId> nodes_;
  unsigned core_;
  u32 pc_;
  mutable std::mutex mutex_;  // tiles run in several threads
  std::map<NodeId, Hit> hits_;
};

}  // namespace bhemu::python
