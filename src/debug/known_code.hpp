// What the owner of a device has said of the code on it, for the source lines of reports: the
// firmware that was booted, ELF files that were loaded, and files and folders in which the code
// that is found in L1 is looked for (code_finder.hpp). What is found by its bytes counts before
// what somebody has said.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "debug/code_finder.hpp"
#include "host/boot/firmware.hpp"

namespace bhemu::debug {

class KnownCode {
 public:
  /// Looks in what BHEMU_ELF names. Throws host::InputError.
  KnownCode();
  /// Those of a clone: the same files are read again.
  KnownCode(const KnownCode& other);
  KnownCode& operator=(const KnownCode&) = delete;
  ~KnownCode();

  void booted(std::shared_ptr<const host::Firmware> firmware) { firmware_ = std::move(firmware); }
  void loaded(Coord tile, CoreId core, std::shared_ptr<const host::Elf> elf);
  /// A file, read now, or a folder, searched when a report is made. Throws host::InputError.
  void look_in(const std::string& path);

  /// Of the device as it is now. The map does not outlive this, nor the next call.
  host::CodeMap map(Device& device);
  /// The same for places where cores have been.
  host::CodeMap map(Device& device, std::span<const Author> sites);

 private:
  void add_what_is_known(host::CodeMap& map) const;

  struct Loaded {
    Coord tile;
    CoreId core;
    std::shared_ptr<const host::Elf> elf;
  };
  std::shared_ptr<const host::Firmware> firmware_;
  std::vector<Loaded> loaded_;
  std::vector<std::string> paths_;
  std::unique_ptr<CodeFinder> finder_;
};

}  // namespace bhemu::debug
