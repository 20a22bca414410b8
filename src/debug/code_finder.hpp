// Source lines for a client that only ever wrote bytes: which ELF holds the code around a core's
// pc. Looked for are files and folders that the user has named (BHEMU_ELF), and then the folders in
// which tt-metal keeps what it has compiled. Folders are searched when a report is made, not
// before.
//
// What is in L1 is compared with the files' segments. tt-metal moves a kernel that it places
// anywhere (tt-metal llrt/tt_elffile.cpp, MakeExecuteInPlace): lui becomes auipc, and with it the
// low halves of addresses change. It writes what it made beside the original (.xip.elf), which then
// agrees byte by byte; where it was told not to, those two immediates are left out of the
// comparison.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/program/elf.hpp"
#include "host/report/report.hpp"

namespace bhemu::debug {

class CodeFinder {
 public:
  /// `paths`: files, read now, and folders; `caches`: folders that need not be there. Throws
  /// host::InputError.
  CodeFinder(const std::vector<std::string>& paths, const std::vector<std::string>& caches);
  ~CodeFinder();

  /// For the cores among the device's faults, and for those that wait; code that no ELF holds is
  /// left out. The map does not outlive this.
  host::CodeMap of_faults(Device& device);
  host::CodeMap of_waiters(Device& device);
  /// For cores at these program counters; each says its tile.
  host::CodeMap of_sites(Device& device, std::span<const Author> sites);

 private:
  struct Match {
    const host::Elf* elf = nullptr;
    const host::Segment* segment = nullptr;
    u32 run_base = 0;
    u32 agrees = 0;      // bytes without a gap, around the pc
    bool whole = false;  // all of the segment
  };
  /// A piece of L1, and where in it the pc is.
  struct Code {
    std::vector<u8> l1;
    u32 pc = 0;
  };
  class Search;

  /// What was found for the same code at the same place of other tiles.
  using Found = std::map<std::string, Match>;

  void add(host::CodeMap& map, Found& found, Device& device, NodeId node, Agent agent, u32 pc);
  Match find(const Code& code);
  std::vector<std::filesystem::path> files_in_folders() const;
  const host::Elf* load(const std::filesystem::path& path);

  std::vector<std::unique_ptr<const host::Elf>> named_;
  std::vector<std::string> folders_;
  std::optional<std::vector<std::filesystem::path>> files_;  // in them, while a report is made
  /// Read from the folders so far; null: no ELF of ours.
  std::map<std::string, std::unique_ptr<const host::Elf>> loaded_;
};

}  // namespace bhemu::debug
