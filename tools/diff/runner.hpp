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
  std::vector<u8> dump;  // kDumpBytes from kData
  std::string why;       // of Refused
};

/// bhemu, directly. Programs go to fresh tiles of one device until it has run out of them.
class Ours {
 public:
  Ours(TimingModel timing, bool parking);
  Outcome run(const Program& program);

 private:
  void renew();

  DeviceOptions options_;
  std::unique_ptr<Device> device_;
  size_t next_tile_ = 0;
};

/// A library with the libttsim ABI. Every program runs in a child process of its own, which loads
/// the library and may die. (A copy of an initialised parent would be quicker, but such libraries
/// reserve more memory than the system lets a process duplicate.)
class Peer {
 public:
  explicit Peer(const std::string& path);  // throws std::runtime_error
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  Outcome run(const Program& program);

 private:
  struct Abi;
  void child(const Program& program, u8* shared);

  std::string path_;
  u8* shared_ = nullptr;  // the flag of completion and the dump
};

}  // namespace bhemu::diff
