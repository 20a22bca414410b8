// Tensors on the host side: element types, conversions, the 32x32 tile layout with its four faces,
// and how pages spread over DRAM banks.
//
// Documents: specs dram.md sections 1 and 2 (faces, tile sizes, interleaving).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "host/program/npy.hpp"

namespace bhemu::host {

enum class DType : u8 {
  Bf16,
  Fp32,
  Fp16,
  Fp8,
  Fp8E4m3,
  Bfp8,  // on the host as fp32; blocks of 16 in a row share an exponent
  Int8,
  Int16,
  Int32,
  Uint8,
  Uint16,
  Uint32
};
/// Bytes of an element on the host, which but for bfp8 are those on the chip.
unsigned size_of(DType dtype);
const char* name_of(DType dtype);
std::optional<DType> dtype_named(std::string_view name);
/// All names, for messages: "bf16, fp32, ...".
std::string dtype_names();
bool is_float(DType dtype);

// --- Scalar conversions. Nothing depends on the host's rounding mode.
enum class Rounding : u8 {
  NearestEven,  // IEEE default
  Truncate,     // towards zero
  Away,         // to nearest, ties away from zero: what the packer does (spec-corrections row 19)
};
/// NaN stays NaN (quiet); values beyond the range become infinite.
u16 to_bf16(float value, Rounding rounding = Rounding::NearestEven);
float from_bf16(u16 bits);
/// NaN stays NaN; values beyond the range become infinite; subnormal halves are kept.
u16 to_fp16(float value, Rounding rounding = Rounding::NearestEven);
float from_fp16(u16 bits);
/// The upper byte of fp16: five bits of exponent, two of mantissa.
u8 to_fp8(float value, Rounding rounding = Rounding::NearestEven);
float from_fp8(u8 bits);
/// Four bits of exponent (bias 7), three of mantissa, no infinity: values beyond the range become
/// the largest number, 448.
u8 to_fp8_e4m3(float value, Rounding rounding = Rounding::NearestEven);
float from_fp8_e4m3(u8 bits);
/// The element of a float type that `value` becomes.
u32 to_float_bits(DType dtype, float value, Rounding rounding = Rounding::NearestEven);

/// A tensor in C order as the host sees it, one element after the other in `dtype`.
struct Tensor {
  DType dtype = DType::Bf16;
  std::vector<u64> shape;
  std::vector<u8> data;

  u64 elements() const;
  u32 bits_at(u64 index) const;  // the element, zero-extended
  void set_bits(u64 index, u32 bits);
  double value_at(u64 index) const;
  /// All of them, as static_cast makes T of value_at(). T is float or i64.
  template <class T>
  std::vector<T> values() const;
};
Tensor make_tensor(DType dtype, std::vector<u64> shape);

/// Makes the elements of a bfp8 tensor ones that it can hold: a sign and seven bits below the
/// largest exponent of the sixteen in a row that share it. Does nothing to other types.
void share_exponents(Tensor& tensor, Rounding rounding = Rounding::NearestEven);

/// The file's array as a tensor of `dtype`. Float to float converts with rounding to nearest even;
/// 16-bit integers become bf16 or fp16 bit patterns as they are; integers convert where every
/// element keeps its value. Throws InputError otherwise.
Tensor tensor_from_npy(const std::string& name, const NpyArray& array, DType dtype);
/// The closest type that NumPy can load: bf16, fp8 and bfp8 are saved as float32, which holds them
/// exactly.
NpyArray npy_from_tensor(const Tensor& tensor);

// --- Layouts.
enum class Layout : u8 { Tile, RowMajor };
const char* name_of(Layout layout);
inline constexpr u64 kTileSide = 32;
inline constexpr u64 kFaceSide = 16;
inline constexpr u64 kBlock = 16;  // elements of bfp8 that share an exponent

/// How many pages a tensor has in memory and how large they are.
struct PageGrid {
  u64 pages = 0;
  u32 page_size = 0;  // bytes
  u64 tile_rows = 0;  // tile layout: per matrix
  u64 tile_columns = 0;
};
/// Tile layout: matrices of the last two dimensions, padded to whole tiles, one tile a page.
/// Row-major: a row of the last dimension a page, or `page_size` bytes if that is not 0.
/// Throws InputError (without a file) when `page_size` does not fit the shape.
PageGrid page_grid(const Tensor& tensor, Layout layout, u32 page_size = 0);

/// The element's place in a tile: face by face (top left, top right, bottom left, bottom right),
/// rows within a face.
constexpr u64 index_in_tile(u64 row, u64 column) {
  const u64 face = (row / kFaceSide) * 2 + column / kFaceSide;
  return face * kFaceSide * kFaceSide + (row % kFaceSide) * kFaceSide + column % kFaceSide;
}

/// All pages one after the other; padding is zero.
std::vector<u8> to_pages(const Tensor& tensor, Layout layout, const PageGrid& grid);
/// The inverse; padding is dropped. `tensor` gives shape and dtype, and receives the data.
void from_pages(Tensor& tensor, Layout layout, const PageGrid& grid, const std::vector<u8>& pages);

}  // namespace bhemu::host
