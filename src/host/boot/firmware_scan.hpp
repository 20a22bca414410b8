// What a firmware image of tt-metal tells about L1 only in its code: where it copies the initial
// contents of its local memory and the bank tables from.
//
// tt-metal's ELFs give local-memory segments no load address in L1, so
// the host's addresses must agree with constants in the code. This finds them there: it follows
// constants through each function and notes three idioms of the start-up code:
//   - do_crt1 compares the start of local memory with the address of its copy in L1;
//   - a call with a variable in local memory (a0) and an address in L1 (a1) is a copy;
//   - a byte loaded from a fixed address in L1 and stored to a variable.
#pragma once

#include <optional>
#include <vector>

#include "host/program/elf.hpp"

namespace bhemu::host {

struct FirmwareScan {
  struct Copy {
    u32 target = 0;  // variable in local memory
    u32 source = 0;  // L1
  };
  std::optional<u32> staging;      // L1 copy of local memory's initial contents
  std::vector<Copy> copies;        // by call
  std::vector<Copy> loaded_bytes;  // single bytes
  std::vector<u32> absolute;       // fixed L1 addresses that are loaded from or stored to

  std::optional<u32> source_of(u32 target) const;
  std::optional<u32> byte_source_of(u32 target) const;
  bool touches(u32 address) const;
};

FirmwareScan scan_firmware(const Elf& elf);

}  // namespace bhemu::host
