// Runs a program on bhemu, or on any library with the libttsim ABI, and brings back its dump.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "diff/program.hpp"

namespace bhemu::diff {

enum class End : u8 {
  Done,
  Refused,  // a fault of ours; a peer that ended its process
  Hung,
};

struct Outcome {
  End end = End::Hung;
  std::vector<u8> dump;  // kDumpBytes from kData, of each tile
  std::string why;       // of Refused
  std::string rule;      // of a fault of ours: its name
  u64 hash = 0;          // of all state of the tiles, or 0: not wanted
};

/// bhemu, directly. Programs go to fresh tiles of one device until it has run out of them.
class Ours {
 public:
  Ours(TimingModel timing, bool parking) : Ours(timing, parking, false) {}
  /// The two builds of the coprocessor, to be compared state by state.
  enum class Units : u8 { Plain, Full };
  Ours(TimingModel timing, Units units) : Ours(timing, true, true) {
    options_.full = units == Units::Full;
    renew();
  }
  /// Windows, with effects at another point than issue.
  Ours(tensix::Placement effects, u64 seed) : Ours(TimingModel::Windows, true, false) {
    options_.effects = effects;
    options_.seed = seed;
    renew();
  }
  Outcome run(const Program& program);

 private:
  Ours(TimingModel timing, bool parking, bool hashes);
  void renew();
  Coord claim(const Program& program);

  DeviceOptions options_;
  std::unique_ptr<Device> device_;
  std::vector<Coord> singles_;  // tiles that no program has used
  std::vector<Coord> squares_;  // the same tiles by fours: one of the two lists is used
  bool fresh_ = true;
  bool hashes_ = false;
};

struct PeerAbi;

/// A library with the libttsim ABI, initialised once. Every program runs in a copy of this process,
/// which may die; so each begins with the library as it was after its initialisation.
class PeerLibrary {
 public:
  explicit PeerLibrary(const std::string& path);  // throws std::runtime_error
  ~PeerLibrary();
  PeerLibrary(const PeerLibrary&) = delete;
  PeerLibrary& operator=(const PeerLibrary&) = delete;
  const PeerAbi& abi() const { return *abi_; }

 private:
  std::unique_ptr<PeerAbi> abi_;
};

/// What one thread of this process needs to run programs on the library.
class Peer {
 public:
  explicit Peer(const PeerLibrary& library);  // throws std::runtime_error
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  Outcome run(const Program& program);

 private:
  void child(const Program& program);

  const PeerLibrary& library_;
  u8* shared_ = nullptr;  // the flag of completion (kDumpBytes of it), and the dumps
  int log_ = -1;          // what the child says
};

}  // namespace bhemu::diff
