#include "host/tensor.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.hpp"
#include "host/error.hpp"

namespace bhemu::host {
namespace {

struct DTypeInfo {
  DType dtype;
  const char* name;
  unsigned size;
  bool is_float;
  bool is_signed;
  NpyType npy;
};
constexpr DTypeInfo kDTypes[] = {
    {DType::Bf16, "bf16", 2, true, true, NpyType::F32},
    {DType::Fp32, "fp32", 4, true, true, NpyType::F32},
    {DType::Fp16, "fp16", 2, true, true, NpyType::F16},
    {DType::Fp8, "fp8", 1, true, true, NpyType::F32},
    {DType::Int8, "int8", 1, false, true, NpyType::I8},
    {DType::Int16, "int16", 2, false, true, NpyType::I16},
    {DType::Int32, "int32", 4, false, true, NpyType::I32},
    {DType::Uint8, "uint8", 1, false, false, NpyType::U8},
    {DType::Uint16, "uint16", 2, false, false, NpyType::U16},
    {DType::Uint32, "uint32", 4, false, false, NpyType::U32},
};

const DTypeInfo& info_of(DType dtype) {
  return kDTypes[static_cast<unsigned>(dtype)];
}

/// `value` >> `shift` rounded; `shift` 1..31.
u32 shift_rounded(u32 value, unsigned shift, Rounding rounding) {
  const u32 kept = value >> shift;
  const u32 rest = value & ((1u << shift) - 1);
  const u32 half = 1u << (shift - 1);
  switch (rounding) {
    case Rounding::Truncate:
      return kept;
    case Rounding::Away:
      return kept + (rest >= half ? 1 : 0);
    case Rounding::NearestEven:
      break;
  }
  return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

u64 read_bits(const u8* source, unsigned size) {
  u64 bits = 0;
  std::memcpy(&bits, source, size);
  return bits;
}

/// A .npy element widened: exactly one of the two is meant.
struct Widened {
  bool is_float = false;
  double real = 0;
  i64 integer = 0;
};

Widened widen(NpyType type, const u8* source) {
  const u64 bits = read_bits(source, size_of(type));
  switch (type) {
    case NpyType::F16:
      return {true, from_fp16(static_cast<u16>(bits)), 0};
    case NpyType::Bf16:
      return {true, from_bf16(static_cast<u16>(bits)), 0};
    case NpyType::F32:
      return {true, std::bit_cast<float>(static_cast<u32>(bits)), 0};
    case NpyType::F64:
      return {true, std::bit_cast<double>(bits), 0};
    case NpyType::I8:
      return {false, 0, static_cast<i8>(bits)};
    case NpyType::I16:
      return {false, 0, static_cast<i16>(bits)};
    case NpyType::I32:
      return {false, 0, static_cast<i32>(bits)};
    default:
      return {false, 0, static_cast<i64>(bits)};
  }
}

bool fits(DType dtype, i64 value) {
  const DTypeInfo& info = info_of(dtype);
  const unsigned bits = info.size * 8;
  const i64 low = info.is_signed ? -(i64{1} << (bits - 1)) : 0;
  const i64 high = info.is_signed ? (i64{1} << (bits - 1)) - 1 : (i64{1} << bits) - 1;
  return value >= low && value <= high;
}

std::string shape_text(const std::vector<u64>& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

/// Calls f(page offset in elements, tensor index) for each element of the tensor in tile layout.
template <class F>
void for_each_in_tiles(const Tensor& tensor, const PageGrid& grid, F f) {
  const size_t rank = tensor.shape.size();
  const u64 columns = rank >= 1 ? tensor.shape[rank - 1] : 1;
  const u64 rows = rank >= 2 ? tensor.shape[rank - 2] : 1;
  const u64 matrices = rows * columns == 0 ? 0 : tensor.elements() / (rows * columns);
  u64 index = 0;
  for (u64 matrix = 0; matrix < matrices; ++matrix)
    for (u64 row = 0; row < rows; ++row)
      for (u64 column = 0; column < columns; ++column) {
        const u64 tile =
            (matrix * grid.tile_rows + row / kTileSide) * grid.tile_columns + column / kTileSide;
        f(tile * kTileSide * kTileSide + index_in_tile(row % kTileSide, column % kTileSide),
          index++);
      }
}

}  // namespace

unsigned size_of(DType dtype) {
  return info_of(dtype).size;
}
const char* name_of(DType dtype) {
  return info_of(dtype).name;
}
bool is_float(DType dtype) {
  return info_of(dtype).is_float;
}
std::optional<DType> dtype_named(std::string_view name) {
  for (const DTypeInfo& info : kDTypes)
    if (name == info.name) return info.dtype;
  return std::nullopt;
}
std::string dtype_names() {
  std::string names;
  for (const DTypeInfo& info : kDTypes)
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  return names;
}
const char* name_of(Layout layout) {
  return layout == Layout::Tile ? "tile" : "row_major";
}

u16 to_bf16(float value, Rounding rounding) {
  const u32 bits = std::bit_cast<u32>(value);
  if (std::isnan(value)) return static_cast<u16>((bits >> 16) | 0x40);
  return static_cast<u16>(shift_rounded(bits, 16, rounding));
}

float from_bf16(u16 bits) {
  return std::bit_cast<float>(u32{bits} << 16);
}

u16 to_fp16(float value, Rounding rounding) {
  constexpr int kBiasDifference = 127 - 15;
  constexpr u32 kInfinity = 0x7C00;
  const u32 bits = std::bit_cast<u32>(value);
  const u32 sign = (bits >> 16) & 0x8000;
  const u32 magnitude = bits & 0x7FFFFFFF;
  if (std::isnan(value)) return static_cast<u16>(sign | 0x7E00 | ((magnitude >> 13) & 0x3FF));
  const int exponent = static_cast<int>(magnitude >> 23) - kBiasDifference;
  u32 result;
  if (magnitude >= 0x7F800000 || exponent >= 31) {
    // Truncation never leaves the finite numbers.
    const bool finite = magnitude < 0x7F800000 && rounding == Rounding::Truncate;
    result = finite ? kInfinity - 1 : kInfinity;
  } else if (exponent > 0) {
    result = shift_rounded(magnitude - (u32{kBiasDifference} << 23), 13, rounding);
  } else {
    const unsigned shift = static_cast<unsigned>(14 - exponent);
    const u32 mantissa = (magnitude & 0x7FFFFF) | (magnitude >= 0x800000 ? 0x800000 : 0);
    result = shift > 31 ? 0 : shift_rounded(mantissa, shift, rounding);
  }
  return static_cast<u16>(sign | result);
}

float from_fp16(u16 bits) {
  const u32 sign = u32{bits & 0x8000u} << 16;
  const u32 exponent = (bits >> 10) & 0x1F;
  const u32 mantissa = bits & 0x3FF;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000 | (mantissa << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

u8 to_fp8(float value, Rounding rounding) {
  if (std::isnan(value)) return std::signbit(value) ? 0xFE : 0x7E;
  const u16 cut = to_fp16(value, Rounding::Truncate);
  // What was cut off must still decide ties: it is remembered in the lowest bit.
  const u32 sticky = from_fp16(cut) != value ? 1 : 0;
  const u32 magnitude = (cut & 0x7FFFu) | sticky;
  return static_cast<u8>((cut >> 8 & 0x80) | shift_rounded(magnitude, 8, rounding));
}

float from_fp8(u8 bits) {
  return from_fp16(static_cast<u16>(bits << 8));
}

u32 to_float_bits(DType dtype, float value, Rounding rounding) {
  switch (dtype) {
    case DType::Bf16:
      return to_bf16(value, rounding);
    case DType::Fp16:
      return to_fp16(value, rounding);
    case DType::Fp8:
      return to_fp8(value, rounding);
    default:
      return std::bit_cast<u32>(value);
  }
}

u64 Tensor::elements() const {
  u64 result = 1;
  for (const u64 dimension : shape) result *= dimension;
  return result;
}

u32 Tensor::bits_at(u64 index) const {
  const unsigned size = size_of(dtype);
  return static_cast<u32>(read_bits(data.data() + index * size, size));
}

void Tensor::set_bits(u64 index, u32 bits) {
  const unsigned size = size_of(dtype);
  std::memcpy(data.data() + index * size, &bits, size);
}

double Tensor::value_at(u64 index) const {
  const u32 bits = bits_at(index);
  switch (dtype) {
    case DType::Bf16:
      return from_bf16(static_cast<u16>(bits));
    case DType::Fp32:
      return std::bit_cast<float>(bits);
    case DType::Fp16:
      return from_fp16(static_cast<u16>(bits));
    case DType::Fp8:
      return from_fp8(static_cast<u8>(bits));
    case DType::Int8:
      return static_cast<i8>(bits);
    case DType::Int16:
      return static_cast<i16>(bits);
    case DType::Int32:
      return static_cast<i32>(bits);
    default:
      return bits;
  }
}

Tensor make_tensor(DType dtype, std::vector<u64> shape) {
  Tensor tensor{dtype, std::move(shape), {}};
  tensor.data.assign(tensor.elements() * size_of(dtype), 0);
  return tensor;
}

Tensor tensor_from_npy(const std::string& name, const NpyArray& array, DType dtype) {
  Tensor tensor = make_tensor(dtype, array.shape);
  const unsigned source_size = size_of(array.type);
  const bool half = dtype == DType::Bf16 || dtype == DType::Fp16;
  const bool pattern = half && (array.type == NpyType::U16 || array.type == NpyType::I16);
  for (u64 i = 0; i < tensor.elements(); ++i) {
    const u8* source = array.data.data() + i * source_size;
    const Widened value = widen(array.type, source);
    const auto reject = [&](const std::string& why) -> InputError {
      return {name, fmt::format("element {}", i), why};
    };
    if (pattern) {
      tensor.set_bits(i, static_cast<u32>(read_bits(source, 2)));
    } else if (is_float(dtype)) {
      const double wide = value.is_float ? value.real : static_cast<double>(value.integer);
      const auto narrow = static_cast<float>(wide);
      if (!value.is_float && static_cast<double>(narrow) != wide)
        throw reject(fmt::format("{} has no exact {} value", value.integer, name_of(dtype)));
      tensor.set_bits(i, to_float_bits(dtype, narrow));
    } else if (value.is_float) {
      throw InputError(name, "",
                       fmt::format("holds {}, the program wants {}: convert it first",
                                   name_of(array.type), name_of(dtype)));
    } else {
      if (!fits(dtype, value.integer) || (array.type == NpyType::U64 && value.integer < 0))
        throw reject(fmt::format("{} does not fit {}", value.integer, name_of(dtype)));
      tensor.set_bits(i, static_cast<u32>(value.integer));
    }
  }
  return tensor;
}

NpyArray npy_from_tensor(const Tensor& tensor) {
  NpyArray array{info_of(tensor.dtype).npy, tensor.shape, tensor.data};
  if (tensor.dtype != DType::Bf16 && tensor.dtype != DType::Fp8) return array;
  array.data.resize(tensor.elements() * 4);
  for (u64 i = 0; i < tensor.elements(); ++i) {
    const u32 bits = tensor.dtype == DType::Bf16
                         ? tensor.bits_at(i) << 16
                         : std::bit_cast<u32>(from_fp8(static_cast<u8>(tensor.bits_at(i))));
    std::memcpy(array.data.data() + i * 4, &bits, 4);
  }
  return array;
}

PageGrid page_grid(const Tensor& tensor, Layout layout, u32 page_size) {
  const size_t rank = tensor.shape.size();
  const u64 columns = rank >= 1 ? tensor.shape[rank - 1] : 1;
  const u64 rows = rank >= 2 ? tensor.shape[rank - 2] : 1;
  const unsigned size = size_of(tensor.dtype);
  if (tensor.elements() == 0) throw InputError("", "", "a tensor without elements");
  PageGrid grid;
  if (layout == Layout::Tile) {
    if (page_size != 0 && page_size != kTileSide * kTileSide * size)
      throw InputError("", "",
                       fmt::format("a {} tile has {} bytes, not {}", name_of(tensor.dtype),
                                   kTileSide * kTileSide * size, page_size));
    grid.tile_rows = (rows + kTileSide - 1) / kTileSide;
    grid.tile_columns = (columns + kTileSide - 1) / kTileSide;
    grid.pages = tensor.elements() / (rows * columns) * grid.tile_rows * grid.tile_columns;
    grid.page_size = static_cast<u32>(kTileSide * kTileSide * size);
    return grid;
  }
  const u64 bytes = tensor.elements() * size;
  const u64 wanted = page_size != 0 ? page_size : columns * size;
  if (wanted > kL1Size)
    throw InputError("", "", fmt::format("pages of {} bytes are larger than L1", wanted));
  if (bytes % wanted != 0)
    throw InputError("", "",
                     fmt::format("shape {} with {} bytes is no whole number of pages of {}",
                                 shape_text(tensor.shape), bytes, wanted));
  grid.page_size = static_cast<u32>(wanted);
  grid.pages = bytes / wanted;
  return grid;
}

std::vector<u8> to_pages(const Tensor& tensor, Layout layout, const PageGrid& grid) {
  if (layout == Layout::RowMajor) return tensor.data;
  const unsigned size = size_of(tensor.dtype);
  std::vector<u8> pages(grid.pages * grid.page_size, 0);
  for_each_in_tiles(tensor, grid, [&](u64 offset, u64 index) {
    std::memcpy(pages.data() + offset * size, tensor.data.data() + index * size, size);
  });
  return pages;
}

void from_pages(Tensor& tensor, Layout layout, const PageGrid& grid, const std::vector<u8>& pages) {
  const unsigned size = size_of(tensor.dtype);
  CHECK(pages.size() == grid.pages * grid.page_size);
  tensor.data.assign(tensor.elements() * size, 0);
  if (layout == Layout::RowMajor) {
    tensor.data = pages;
    return;
  }
  for_each_in_tiles(tensor, grid, [&](u64 offset, u64 index) {
    std::memcpy(tensor.data.data() + index * size, pages.data() + offset * size, size);
  });
}

}  // namespace bhemu::host
