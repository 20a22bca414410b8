#include "host/program/tensor.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "host/expect_input_error.hpp"

namespace bhemu::host {
namespace {

using test::expect_input_error;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The nearest of all bf16 (or fp16) numbers, found by search: the independent model.
template <class From>
u16 nearest_by_search(double value, u16 infinity, From from) {
  u16 best = 0;
  double best_distance = std::numeric_limits<double>::infinity();
  for (u32 bits = 0; bits < infinity; ++bits) {
    const double distance = std::fabs(from(static_cast<u16>(bits)) - value);
    const bool tie = distance == best_distance && (bits & 1) == 0;
    if (distance < best_distance || tie) {
      best = static_cast<u16>(bits);
      best_distance = distance;
    }
  }
  return best;
}

TEST(Tensor, bf16_rounds_to_nearest_even) {
  for (u32 i = 0; i < 40; ++i) {
    const u32 bits = 0x3F800000 + i * 0x1357 + (i % 4) * 0x8000;
    const auto value = std::bit_cast<float>(bits);
    EXPECT_EQ(to_bf16(value), nearest_by_search(value, 0x7F80, from_bf16)) << value;
  }
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x3F808000u)), 0x3F80);  // tie, even below
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x3F818000u)), 0x3F82);  // tie, even above
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x7F7FFFFFu)), 0x7F80);
}

TEST(Tensor, bf16_has_the_packers_rounding_and_truncation_too) {
  const auto tie = std::bit_cast<float>(0x3F808000u);
  EXPECT_EQ(to_bf16(tie, Rounding::Away), 0x3F81);
  EXPECT_EQ(to_bf16(-tie, Rounding::Away), 0xBF81);
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x3F80FFFFu), Rounding::Truncate), 0x3F80);
}

TEST(Tensor, bf16_keeps_every_value_and_nan) {
  for (u32 bits = 0; bits < 0x10000; ++bits) {
    const float value = from_bf16(static_cast<u16>(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(from_bf16(to_bf16(value))));
    else
      EXPECT_EQ(to_bf16(value), bits);
  }
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::bit_cast<float>(0x7F800001u)))));
}

TEST(Tensor, fp16_keeps_every_value_and_nan) {
  for (u32 bits = 0; bits < 0x10000; ++bits) {
    const float value = from_fp16(static_cast<u16>(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(from_fp16(to_fp16(value))));
    else
      EXPECT_EQ(to_fp16(value), bits) << std::hex << bits;
  }
}

TEST(Tensor, fp16_rounds_to_nearest_even_in_all_ranges) {
  const float cases[] = {1.00048828125f, 1.0009765f, 0x1.ffep15f - 1, 0x1p-24f,
                         0x1.8p-25f,     0x1p-25f,   0x1.004p-14f,    0x1.ffcp-15f,
                         0x1.ffep-15f,   3.14159f,   65503.9f,        0x1.01p-24f};
  for (const float value : cases)
    EXPECT_EQ(to_fp16(value), nearest_by_search(value, 0x7C00, from_fp16)) << value;
  EXPECT_EQ(to_fp16(65520.0f), 0x7C00);
  EXPECT_EQ(to_fp16(65520.0f, Rounding::Truncate), 0x7BFF);
  EXPECT_EQ(to_fp16(-kInfinity), 0xFC00);
  EXPECT_EQ(to_fp16(kInfinity, Rounding::Truncate), 0x7C00);
  EXPECT_EQ(to_fp16(1e-30f), 0);
  EXPECT_EQ(to_fp16(-0.0f), 0x8000);
}

TEST(Tensor, tile_holds_four_faces_row_by_row) {
  EXPECT_EQ(index_in_tile(0, 15), 15u);
  EXPECT_EQ(index_in_tile(0, 16), 256u);
  EXPECT_EQ(index_in_tile(1, 0), 16u);
  EXPECT_EQ(index_in_tile(16, 0), 512u);
  EXPECT_EQ(index_in_tile(31, 31), 1023u);
}

TEST(Tensor, tile_layout_pads_matrices_and_comes_back) {
  Tensor tensor = make_tensor(DType::Uint16, {2, 33, 40});
  for (u64 i = 0; i < tensor.elements(); ++i) tensor.set_bits(i, static_cast<u32>(i + 1));
  const PageGrid grid = page_grid(tensor, Layout::Tile);
  EXPECT_EQ(grid.pages, 2u * 2 * 2);
  EXPECT_EQ(grid.page_size, 2048u);
  const std::vector<u8> pages = to_pages(tensor, Layout::Tile, grid);
  const auto at = [&](u64 page, u64 index) {
    u16 value;
    std::memcpy(&value, pages.data() + page * 2048 + index * 2, 2);
    return value;
  };
  EXPECT_EQ(at(0, 0), 1);
  EXPECT_EQ(at(0, 16), 41);          // second row of the first face
  EXPECT_EQ(at(1, 7), 40);           // last column, in the second tile
  EXPECT_EQ(at(1, 8), 0);            // padding
  EXPECT_EQ(at(2, 0), 32 * 40 + 1);  // row 32
  EXPECT_EQ(at(4, 0), 33 * 40 + 1);  // second matrix
  Tensor back = make_tensor(DType::Uint16, tensor.shape);
  from_pages(back, Layout::Tile, grid, pages);
  EXPECT_EQ(back.data, tensor.data);
}

TEST(Tensor, row_major_pages_are_rows_unless_said_otherwise) {
  const Tensor tensor = make_tensor(DType::Bf16, {6, 10});
  EXPECT_EQ(page_grid(tensor, Layout::RowMajor).pages, 6u);
  EXPECT_EQ(page_grid(tensor, Layout::RowMajor).page_size, 20u);
  EXPECT_EQ(page_grid(tensor, Layout::RowMajor, 40).pages, 3u);
  expect_input_error([&] { page_grid(tensor, Layout::RowMajor, 32); }, "no whole number of pages");
  expect_input_error([&] { page_grid(tensor, Layout::Tile, 1024); }, "2048 bytes, not 1024");
}

TEST(Tensor, numpy_arrays_convert_only_where_the_meaning_is_kept) {
  NpyArray floats{NpyType::F32, {2}, std::vector<u8>(8)};
  const float values[] = {1.00390625f, -2.5f};
  std::memcpy(floats.data.data(), values, 8);
  const Tensor bf16 = tensor_from_npy("x", floats, DType::Bf16);
  EXPECT_EQ(bf16.bits_at(0), 0x3F80u);
  EXPECT_EQ(bf16.value_at(1), -2.5);
  expect_input_error([&] { tensor_from_npy("x", floats, DType::Int32); }, "holds float32");

  const NpyArray bytes{NpyType::I16, {1}, {0x80, 0x3F}};
  EXPECT_EQ(tensor_from_npy("x", bytes, DType::Bf16).bits_at(0), 0x3F80u);
  EXPECT_EQ(tensor_from_npy("x", bytes, DType::Int32).bits_at(0), 0x3F80u);
  expect_input_error([&] { tensor_from_npy("x", bytes, DType::Int8); }, "16256 does not fit int8",
                     "element 0");
  const NpyArray large{NpyType::I32, {1}, {1, 0, 0, 1}};
  expect_input_error([&] { tensor_from_npy("x", large, DType::Fp32); }, "no exact fp32");
}

TEST(Tensor, bf16_is_saved_as_float32_without_loss) {
  Tensor tensor = make_tensor(DType::Bf16, {3});
  for (u64 i = 0; i < 3; ++i) tensor.set_bits(i, static_cast<u32>(0x3F80 + i * 33));
  const NpyArray array = npy_from_tensor(tensor);
  EXPECT_EQ(array.type, NpyType::F32);
  EXPECT_EQ(tensor_from_npy("x", array, DType::Bf16).data, tensor.data);
}

TEST(Fp8, every_number_comes_back_and_ties_are_broken_by_what_was_cut_off) {
  for (u32 bits = 0; bits < 256; ++bits) {
    const float value = from_fp8(static_cast<u8>(bits));
    if (std::isnan(value)) continue;
    EXPECT_EQ(to_fp8(value), bits);
  }
  EXPECT_EQ(from_fp8(0x3C), 1.0f);
  EXPECT_EQ(from_fp8(0xC5), -5.0f);
  EXPECT_EQ(to_fp8(1.125f), 0x3C);  // a tie: to even, or away from zero
  EXPECT_EQ(to_fp8(1.125f, Rounding::Away), 0x3D);
  EXPECT_EQ(to_fp8(1.125f + 0x1p-20f), 0x3D);
  EXPECT_EQ(to_fp8(1.24f, Rounding::Truncate), 0x3C);
  EXPECT_EQ(to_fp8(1e9f), 0x7C);
}

TEST(Fp8E4m3, every_number_comes_back_and_the_largest_holds_what_is_beyond) {
  for (u32 bits = 0; bits < 256; ++bits) {
    const float value = from_fp8_e4m3(static_cast<u8>(bits));
    EXPECT_EQ(std::isnan(value), (bits & 0x7F) == 0x7F);
    if (std::isnan(value)) continue;
    EXPECT_EQ(to_fp8_e4m3(value), bits);
  }
  EXPECT_EQ(from_fp8_e4m3(0x38), 1.0f);
  EXPECT_EQ(from_fp8_e4m3(0x7E), 448.0f);
  EXPECT_EQ(from_fp8_e4m3(0x01), 0x1p-9f);
  EXPECT_EQ(to_fp8_e4m3(1.0625f), 0x38);  // a tie: to even, or away from zero
  EXPECT_EQ(to_fp8_e4m3(1.0625f, Rounding::Away), 0x39);
  EXPECT_EQ(to_fp8_e4m3(-1.99f, Rounding::Truncate), 0xBF);
  EXPECT_EQ(to_fp8_e4m3(1.99f), 0x40);
  EXPECT_EQ(to_fp8_e4m3(1000.0f), 0x7E);
  EXPECT_EQ(to_fp8_e4m3(-kInfinity), 0xFE);
  EXPECT_EQ(to_fp8_e4m3(0x1p-11f), 0x00);
}

// The row of a face and what the packer makes of it: numerics of BF16 to BFP8, rounded away.
TEST(Bfp8, a_row_of_a_face_shares_the_largest_exponent) {
  const u32 bf16[] = {0x3F80, 0xBF80, 0x3F81, 0x3F00, 0x3B80,
                      0xBC00, 0x3F7F, 0x3FFF, 0x8000, 0x3C7F};
  const u8 packed[] = {0x40, 0xC0, 0x41, 0x20, 0x00, 0x81, 0x40, 0x7F, 0x00, 0x01};
  Tensor tensor = make_tensor(DType::Bfp8, {32, 32});
  constexpr u64 kFirst = 17 * 32 + 16;  // second row of the last face
  for (u64 i = 0; i < std::size(bf16); ++i) tensor.set_bits(kFirst + i, bf16[i] << 16);
  share_exponents(tensor, Rounding::Away);
  EXPECT_EQ(tensor.value_at(kFirst + 7), 127.0 / 64);
  EXPECT_EQ(tensor.bits_at(kFirst + 8), 0u);

  const PageGrid grid = page_grid(tensor, Layout::Tile);
  ASSERT_EQ(grid.page_size, 1088u);
  const std::vector<u8> pages = to_pages(tensor, Layout::Tile, grid);
  EXPECT_EQ(pages[3 * 16 + 1], 0x7F);
  EXPECT_EQ(pages[3 * 16], 0);
  for (u64 i = 0; i < std::size(packed); ++i)
    EXPECT_EQ(pages[64 + 3 * 256 + 16 + i], packed[i]) << i;
  Tensor back = make_tensor(DType::Bfp8, {32, 32});
  from_pages(back, Layout::Tile, grid, pages);
  EXPECT_EQ(back.data, tensor.data);
  expect_input_error([&] { page_grid(tensor, Layout::RowMajor); }, "in tiles only");
}

TEST(Tensor, a_finite_number_beyond_the_range_of_the_type_is_refused) {
  NpyArray array{NpyType::F64, {1}, std::vector<u8>(8)};
  const auto set = [&](double value) { std::memcpy(array.data.data(), &value, 8); };
  set(1e300);
  EXPECT_THROW(tensor_from_npy("x", array, DType::Bf16), InputError);
  EXPECT_THROW(tensor_from_npy("x", array, DType::Fp32), InputError);
  set(1e30);
  EXPECT_NO_THROW(tensor_from_npy("x", array, DType::Bf16));
  EXPECT_THROW(tensor_from_npy("x", array, DType::Fp16), InputError);
  set(std::numeric_limits<double>::infinity());
  EXPECT_NO_THROW(tensor_from_npy("x", array, DType::Bf16));
}

}  // namespace
}  // namespace bhemu::host
