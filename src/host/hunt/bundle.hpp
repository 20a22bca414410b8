// A bug bundle: everything that a run was made of, in one file, to be run again on another machine
// with the same result in the same cycle. `bhemu run --bug-bundle` writes one, `bhemu replay` takes
// it.
//
// The file: a header (magic, format, sizes, checksum), then one zstd frame. What a later bhemu puts
// in beside (a list of delays, say) are named sections; one that is needed to repeat the run is
// marked so, and a bhemu that does not know it refuses the file.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "host/boot/machine.hpp"
#include "host/settings/settings.hpp"

namespace bhemu::host {

struct BundledFile {
  std::string path;  // as the program names it
  std::vector<u8> bytes;
};

struct BundleSection {
  std::string name;
  bool needed = false;  // a run without it is another run
  std::vector<u8> bytes;
};

struct Bundle {
  std::string version;  // of the bhemu that wrote it
  // What decides about the run: board, harvesting, bundle, timing, effects, rules, seed.
  DeviceSettings settings;
  u64 max_cycles = 0;  // 0: no limit
  std::string program_file;
  std::vector<u8> program;
  std::vector<BundledFile> files;  // kernels and tensors
  std::array<std::vector<u8>, kCores> firmware;

  // What came of it.
  bool ran = false;  // else the boot failed
  u8 status = 0;     // Status
  bool interrupted = false;
  u64 cycles = 0;  // of the last phase
  u64 end_cycle = 0;
  u64 hash = 0;  // of the device at the end

  /// Of the device, somewhere between the start of the program and its end; may be empty.
  std::vector<u8> snapshot;
  u64 snapshot_cycle = 0;
  std::vector<BundleSection> sections;
};

/// Reads every file that the run of `program` will read. `firmware`: its directory, or empty.
/// Throws InputError.
Bundle bundle_of(const Program& program, const DeviceSettings& settings, u64 max_cycles,
                 const std::string& firmware);
void record_outcome(Bundle& bundle, const Outcome& outcome, Device& device, bool ran);

/// Throw InputError; a file that is no bundle, damaged, cut short or of a later format has one
/// message each.
void write_bundle(const std::string& path, const Bundle& bundle);
Bundle read_bundle(const std::string& path);
Bundle parse_bundle(const std::string& path, std::span<const u8> bytes);
std::vector<u8> format_bundle(const Bundle& bundle);

/// The program, with its files written to `directory`, which must exist. It saves nothing.
Program unpack_program(const Bundle& bundle, const std::string& directory);
Firmware firmware_of(const Bundle& bundle);

}  // namespace bhemu::host
