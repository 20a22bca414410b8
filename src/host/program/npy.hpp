// NumPy's .npy files, format versions 1, 2 and 3 (numpy.lib.format): reading and writing plain
// little-endian arrays. No pickles, no structured types.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace bhemu::host {

/// Element types that a .npy file can have. bfloat16 has no code of its own in NumPy: ml_dtypes
/// writes '<V2' (or '|V2'), which we read and write as Bf16; a plain '<u2' stays U16.
enum class NpyType : u8 { F16, F32, F64, Bf16, I8, I16, I32, I64, U8, U16, U32, U64, Bool };
unsigned size_of(NpyType type);
const char* name_of(NpyType type);

struct NpyArray {
  NpyType type = NpyType::F32;
  std::vector<u64> shape;  // empty: a scalar
  std::vector<u8> data;    // C order, little-endian

  u64 elements() const;
};

/// Throws InputError. `name` stands in messages. An array in Fortran order is turned into C order.
NpyArray parse_npy(const std::string& name, std::span<const u8> bytes);
NpyArray read_npy(const std::string& path);

/// Version 1.0, C order, data aligned to 64 bytes, as numpy.save writes it.
std::vector<u8> format_npy(const NpyArray& array);
void write_npy(const std::string& path, const NpyArray& array);

}  // namespace bhemu::host
