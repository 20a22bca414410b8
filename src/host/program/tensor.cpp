#include "host/program/tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    {DType::Fp8E4m3, "fp8_e4m3", 1, true, true, NpyType::F32},
    {DType::Bfp8, "bfp8", 4, true, true, NpyType::F32},
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

/// Calls f(page offset in elements, tensor index, count) for each row of a face, or the part of it
/// that the tensor has, in tile layout.
template <class F>
void for_each_piece_of_tiles(const Tensor& tensor, const PageGrid& grid, F f) {
  const size_t rank = tensor.shape.size();
  const u64 columns = rank >= 1 ? tensor.shape[rank - 1] : 1;
  const u64 rows = rank >= 2 ? tensor.shape[rank - 2] : 1;
  const u64 matrices = rows * columns == 0 ? 0 : tensor.elements() / (rows * columns);
  u64 index = 0;
  for (u64 matrix = 0; matrix < matrices; ++matrix)
    for (u64 row = 0; row < rows; ++row)
      for (u64 column = 0; column < columns; column += kFaceSide) {
        const u64 tile =
            (matrix * grid.tile_rows + row / kTileSide) * grid.tile_columns + column / kTileSide;
        const u64 count = std::min(kFaceSide, columns - column);
        f(tile * kTileSide * kTileSide + index_in_tile(row % kTileSide, column % kTileSide), index,
          count);
        index += count;
      }
}

/// The same for each element by itself.
template <class F>
void for_each_in_tiles(const Tensor& tensor, const PageGrid& grid, F f) {
  for_each_piece_of_tiles(tensor, grid, [&](u64 offset, u64 index, u64 count) {
    for (u64 i = 0; i < count; ++i) f(offset + i, index + i);
  });
}

// --- bfp8. A tile is an exponent for each row of a face, then the elements: a sign and seven bits,
// of which the highest stands for 1 at the shared exponent.
constexpr u64 kBfp8TileElements = kTileSide * kTileSide;
constexpr u64 kBfp8TileBytes = kBfp8TileElements / kBlock + kBfp8TileElements;
constexpr u32 kBfp8Largest = 0x7F;

/// The seven bits of a number below a shared exponent.
u32 bfp8_magnitude(u32 fp32_bits, u32 shared, Rounding rounding) {
  constexpr unsigned kDropped = 17;  // of 24 bits, where the exponent is the shared one
  const u32 exponent = fp32_bits >> 23 & 0xFF;
  const u32 shift = kDropped + shared - exponent;
  if (exponent == 0 || shift > 31) return 0;
  const u32 mantissa = (fp32_bits & 0x7FFFFF) | 0x800000;
  return std::min(kBfp8Largest, shift_rounded(mantissa, shift, rounding));
}

u32 bfp8_value(u32 magnitude, u32 shared) {
  const float value = std::ldexp(static_cast<float>(magnitude), static_cast<int>(shared) - 133);
  return std::bit_cast<u32>(value);
}

std::vector<u8> to_bfp8_pages(const Tensor& tensor, const PageGrid& grid) {
  std::vector<u32> elements(grid.pages * kBfp8TileElements, 0);
  for_each_in_tiles(tensor, grid,
                    [&](u64 offset, u64 index) { elements[offset] = tensor.bits_at(index); });
  std::vector<u8> pages(grid.pages * grid.page_size, 0);
  for (u64 block = 0; block < elements.size() / kBlock; ++block) {
    const u32* values = elements.data() + block * kBlock;
    const u64 in_tile = block % (kBfp8TileElements / kBlock);
    u8* tile = pages.data() + block / (kBfp8TileElements / kBlock) * kBfp8TileBytes;
    u32 shared = 0;
    for (u64 i = 0; i < kBlock; ++i) shared = std::max(shared, values[i] >> 23 & 0xFF);
    tile[in_tile] = static_cast<u8>(shared);
    for (u64 i = 0; i < kBlock; ++i) {
      const u32 magnitude = bfp8_magnitude(values[i], shared, Rounding::NearestEven);
      const u32 sign = magnitude != 0 ? values[i] >> 24 & 0x80 : 0;  // -0 would mean infinity
      tile[kBfp8TileElements / kBlock + in_tile * kBlock + i] = static_cast<u8>(sign | magnitude);
    }
  }
  return pages;
}

void from_bfp8_pages(Tensor& tensor, const PageGrid& grid, const std::vector<u8>& pages) {
  for_each_in_tiles(tensor, grid, [&](u64 offset, u64 index) {
    const u8* tile = pages.data() + offset / kBfp8TileElements * kBfp8TileBytes;
    const u64 element = offset % kBfp8TileElements;
    const u32 datum = tile[kBfp8TileElements / kBlock + element];
    const u32 magnitude =
        datum == 0x80 ? 0x7F800000 : bfp8_value(datum & 0x7F, tile[element / kBlock]);
    tensor.set_bits(index, (datum & 0x80) << 24 | magnitude);
  });
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

u8 to_fp8_e4m3(float value, Rounding rounding) {
  constexpr int kBiasDifference = 127 - 7;
  constexpr u32 kLargest = 0x7E;
  constexpr u32 kNaN = 0x7F;
  const u32 bits = std::bit_cast<u32>(value);
  const u32 magnitude = bits & 0x7FFFFFFF;
  const int exponent = static_cast<int>(magnitude >> 23) - kBiasDifference;
  u32 result = kLargest;
  if (std::isnan(value)) {
    result = kNaN;
  } else if (exponent <= 0) {
    const unsigned shift = static_cast<unsigned>(21 - exponent);
    const u32 mantissa = (magnitude & 0x7FFFFF) | (magnitude >= 0x800000 ? 0x800000 : 0);
    result = shift > 31 ? 0 : shift_rounded(mantissa, shift, rounding);
  } else if (exponent < 16) {
    result =
        std::min(kLargest, shift_rounded(magnitude - (u32{kBiasDifference} << 23), 20, rounding));
  }
  return static_cast<u8>((bits >> 24 & 0x80) | result);
}

float from_fp8_e4m3(u8 bits) {
  const u32 sign = u32{bits & 0x80u} << 24;
  const u32 exponent = bits >> 3 & 0xF;
  const u32 mantissa = bits & 7;
  if ((bits & 0x7F) == 0x7F) return std::bit_cast<float>(sign | 0x7FC00000);
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 120) << 23) | (mantissa << 20));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-9f;
  return sign != 0 ? -magnitude : magnitude;
}

u32 to_float_bits(DType dtype, float value, Rounding rounding) {
  switch (dtype) {
    case DType::Bf16:
      return to_bf16(value, rounding);
    case DType::Fp16:
      return to_fp16(value, rounding);
    case DType::Fp8:
      return to_fp8(value, rounding);
    case DType::Fp8E4m3:
      return to_fp8_e4m3(value, rounding);
    default:
      return std::bit_cast<u32>(value);
  }
}

u64 Tensor::elements() const {
  u64 result = 1;
  for (const u64 dimension : shape) result *= dimension;
  return result;
}

namespace {

/// f(value_of), where value_of(element) is the element as C++ has it: `bits`, zero-extended, as
/// float or integer. What follows from the type is asked once and not for each element.
template <class F>
decltype(auto) with_values_of(DType dtype, F f) {
  switch (dtype) {
    case DType::Bf16:
      return f([](u32 bits) { return from_bf16(static_cast<u16>(bits)); });
    case DType::Fp32:
    case DType::Bfp8:
      return f([](u32 bits) { return std::bit_cast<float>(bits); });
    case DType::Fp16:
      return f([](u32 bits) { return from_fp16(static_cast<u16>(bits)); });
    case DType::Fp8:
      return f([](u32 bits) { return from_fp8(static_cast<u8>(bits)); });
    case DType::Fp8E4m3:
      return f([](u32 bits) { return from_fp8_e4m3(static_cast<u8>(bits)); });
    case DType::Int8:
      return f([](u32 bits) { return static_cast<i8>(bits); });
    case DType::Int16:
      return f([](u32 bits) { return static_cast<i16>(bits); });
    case DType::Int32:
      return f([](u32 bits) { return static_cast<i32>(bits); });
    default:
      return f([](u32 bits) { return bits; });
  }
}

/// f(element), which is of the type's size.
template <class F>
decltype(auto) with_element_of(DType dtype, F f) {
  switch (size_of(dtype)) {
    case 1:
      return f(u8{});
    case 2:
      return f(u16{});
    default:
      return f(u32{});
  }
}

}  // namespace

u32 Tensor::bits_at(u64 index) const {
  return with_element_of(dtype, [&](auto element) -> u32 {
    std::memcpy(&element, data.data() + index * sizeof element, sizeof element);
    return element;
  });
}

void Tensor::set_bits(u64 index, u32 bits) {
  with_element_of(dtype, [&](auto element) {
    element = static_cast<decltype(element)>(bits);
    std::memcpy(data.data() + index * sizeof element, &element, sizeof element);
  });
}

double Tensor::value_at(u64 index) const {
  const u32 bits = bits_at(index);
  return with_values_of(dtype,
                        [bits](auto value_of) { return static_cast<double>(value_of(bits)); });
}

template <class T>
std::vector<T> Tensor::values() const {
  std::vector<T> result(elements());
  with_element_of(dtype, [&](auto element) {
    with_values_of(dtype, [&](auto value_of) {
      const u8* source = data.data();
      for (T& value : result) {
        std::memcpy(&element, source, sizeof element);
        source += sizeof element;
        value = static_cast<T>(static_cast<double>(value_of(element)));
      }
    });
  });
  return result;
}
template std::vector<float> Tensor::values() const;
template std::vector<i64> Tensor::values() const;

void share_exponents(Tensor& tensor, Rounding rounding) {
  if (tensor.dtype != DType::Bfp8) return;
  const u64 columns = tensor.shape.empty() ? 1 : tensor.shape.back();
  for (u64 row = 0; row < tensor.elements(); row += columns) {
    for (u64 first = 0; first < columns; first += kBlock) {
      const u64 end = row + std::min(first + kBlock, columns);
      u32 shared = 0;
      for (u64 i = row + first; i < end; ++i)
        shared = std::max(shared, tensor.bits_at(i) >> 23 & 0xFF);
      for (u64 i = row + first; i < end; ++i) {
        const u32 bits = tensor.bits_at(i);
        const u32 magnitude = bfp8_value(bfp8_magnitude(bits, shared, rounding), shared);
        tensor.set_bits(i, magnitude != 0 ? (bits & 0x80000000) | magnitude : 0);
      }
    }
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
      if (std::isfinite(wide) && !std::isfinite(tensor.value_at(i)))
        throw reject(fmt::format("{} is beyond the range of {}", wide, name_of(dtype)));
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
  share_exponents(tensor);
  return tensor;
}

NpyArray npy_from_tensor(const Tensor& tensor) {
  NpyArray array{info_of(tensor.dtype).npy, tensor.shape, tensor.data};
  if (info_of(tensor.dtype).npy != NpyType::F32) return array;
  array.data.resize(tensor.elements() * 4);
  for (u64 i = 0; i < tensor.elements(); ++i) {
    const float value = static_cast<float>(tensor.value_at(i));
    std::memcpy(array.data.data() + i * 4, &value, 4);
  }
  return array;
}

PageGrid page_grid(const Tensor& tensor, Layout layout, u32 page_size) {
  const size_t rank = tensor.shape.size();
  const u64 columns = rank >= 1 ? tensor.shape[rank - 1] : 1;
  const u64 rows = rank >= 2 ? tensor.shape[rank - 2] : 1;
  const unsigned size = size_of(tensor.dtype);
  if (tensor.elements() == 0) throw InputError("", "", "a tensor without elements");
  const bool blocks = tensor.dtype == DType::Bfp8;
  if (blocks && layout == Layout::RowMajor)
    throw InputError("", "", "bfp8 exists in tiles only: layout must be tile");
  PageGrid grid;
  if (layout == Layout::Tile) {
    const u64 bytes = blocks ? kBfp8TileBytes : kTileSide * kTileSide * size;
    if (page_size != 0 && page_size != bytes)
      throw InputError(
          "", "",
          fmt::format("a {} tile has {} bytes, not {}", name_of(tensor.dtype), bytes, page_size));
    grid.tile_rows = (rows + kTileSide - 1) / kTileSide;
    grid.tile_columns = (columns + kTileSide - 1) / kTileSide;
    grid.pages = tensor.elements() / (rows * columns) * grid.tile_rows * grid.tile_columns;
    grid.page_size = static_cast<u32>(bytes);
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
  if (tensor.dtype == DType::Bfp8) return to_bfp8_pages(tensor, grid);
  const unsigned size = size_of(tensor.dtype);
  std::vector<u8> pages(grid.pages * grid.page_size, 0);
  for_each_piece_of_tiles(tensor, grid, [&](u64 offset, u64 index, u64 count) {
    std::memcpy(pages.data() + offset * size, tensor.data.data() + index * size, count * size);
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
  if (tensor.dtype == DType::Bfp8) return from_bfp8_pages(tensor, grid, pages);
  for_each_piece_of_tiles(tensor, grid, [&](u64 offset, u64 index, u64 count) {
    std::memcpy(tensor.data.data() + index * size, pages.data() + offset * size, count * size);
  });
}

}  // namespace bhemu::host
