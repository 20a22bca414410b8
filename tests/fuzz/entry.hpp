// What the fuzzers do with one input; the normal suite runs the same over tests/corpus/.
// Each loader may accept its input or throw InputError. Anything else is a bug.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "host/boot/firmware_scan.hpp"
#include "host/error.hpp"
#include "host/program/elf.hpp"
#include "host/program/npy.hpp"
#include "host/program/program.hpp"
#include "host/program/tensor.hpp"

namespace bhemu::test {

/// All three return whether the input was accepted.
inline bool fuzz_elf(std::span<const u8> bytes) {
  try {
    const host::Elf elf = host::Elf::parse("fuzz.elf", {bytes.begin(), bytes.end()});
    (void)elf.function_at(elf.entry());
    (void)elf.line_at(elf.entry());
    (void)host::scan_firmware(elf);
    (void)elf.flatten();
    return true;
  } catch (const host::InputError&) {
    return false;
  }
}

inline bool fuzz_npy(std::span<const u8> bytes) {
  try {
    const host::NpyArray array = host::parse_npy("fuzz.npy", bytes);
    (void)host::parse_npy("again.npy", host::format_npy(array));
    (void)host::tensor_from_npy("fuzz.npy", array, host::DType::Bf16);
    return true;
  } catch (const host::InputError&) {
    return false;
  }
}

inline bool fuzz_yaml(std::span<const u8> bytes) {
  try {
    (void)host::parse_program("fuzz.yaml", {bytes.begin(), bytes.end()});
    return true;
  } catch (const host::InputError&) {
    return false;
  }
}

}  // namespace bhemu::test
