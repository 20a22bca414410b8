#include "host/program/npy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "host/expect_input_error.hpp"

namespace bhemu::host {
namespace {

using test::expect_input_error;

/// A .npy file with this header text; the length field is right.
std::vector<u8> file(const std::string& header, const std::vector<u8>& data, u8 major = 1) {
  std::vector<u8> bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', major, 0};
  bytes.push_back(static_cast<u8>(header.size()));
  bytes.push_back(static_cast<u8>(header.size() >> 8));
  if (major > 1) bytes.insert(bytes.end(), {0, 0});
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

NpyArray parse(const std::string& header, const std::vector<u8>& data, u8 major = 1) {
  return parse_npy("x.npy", file(header, data, major));
}

TEST(Npy, all_types_survive_a_round_trip) {
  for (const NpyType type : {NpyType::F16, NpyType::F32, NpyType::F64, NpyType::Bf16, NpyType::I8,
                             NpyType::I16, NpyType::I32, NpyType::I64, NpyType::U8, NpyType::U16,
                             NpyType::U32, NpyType::U64, NpyType::Bool})
    for (const std::vector<u64>& shape :
         {std::vector<u64>{}, {5}, {2, 3}, {2, 0, 3}, {1, 2, 3, 4}}) {
      NpyArray array{type, shape, {}};
      for (u64 i = 0; i < array.elements() * size_of(type); ++i)
        array.data.push_back(static_cast<u8>(i * 7 + 1));
      const std::vector<u8> bytes = format_npy(array);
      EXPECT_EQ((bytes.size() - array.data.size()) % 64, 0u);
      const NpyArray read = parse_npy("x", bytes);
      EXPECT_EQ(read.type, type) << name_of(type);
      EXPECT_EQ(read.shape, shape);
      EXPECT_EQ(read.data, array.data);
    }
}

TEST(Npy, file_as_numpy_writes_it_is_read) {
  // numpy.save("x.npy", numpy.array([[1, 2]], dtype="<u2")), NumPy 1.24
  const NpyArray array = parse(
      "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 2), }                             \n",
      {1, 0, 2, 0});
  EXPECT_EQ(array.type, NpyType::U16);
  EXPECT_EQ(array.shape, (std::vector<u64>{1, 2}));
}

TEST(Npy, versions_2_and_3_have_a_longer_length) {
  const std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': (1,)}\n";
  EXPECT_EQ(parse(header, {5}, 2).data, (std::vector<u8>{5}));
  EXPECT_EQ(parse(header, {6}, 3).data, (std::vector<u8>{6}));
  expect_input_error([&] { parse(header, {6}, 4); }, "version 4.0");
}

TEST(Npy, fortran_order_becomes_c_order) {
  const NpyArray array =
      parse("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", {11, 21, 12, 22, 13, 23});
  EXPECT_EQ(array.data, (std::vector<u8>{11, 12, 13, 21, 22, 23}));
}

TEST(Npy, bfloat16_goes_by_its_void_type) {
  EXPECT_EQ(parse("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", {0, 1}).type,
            NpyType::Bf16);
  EXPECT_EQ(parse("{'descr': '|V2', 'fortran_order': False, 'shape': (1,)}", {0, 1}).type,
            NpyType::Bf16);
}

TEST(Npy, damaged_headers_are_refused_with_a_reason) {
  const std::string tail = ", 'fortran_order': False, 'shape': (1,)}";
  expect_input_error([&] { parse("{'descr': '>f4'" + tail, {0, 0, 0, 0}); }, "big-endian");
  expect_input_error([&] { parse("{'descr': '<c8'" + tail, {}); }, "'<c8' is not supported");
  expect_input_error([&] { parse("{'descr': ''" + tail, {}); }, "is not supported");
  expect_input_error([&] { parse("{'descr': [('a', '<i4')]" + tail, {}); }, "structured");
  expect_input_error([] { parse("{'descr': '|i1'}", {0}); }, "lacks");
  expect_input_error([&] { parse("{'descr': '|i1', 'x': 1" + tail, {0}); }, "unexpected key 'x'");
  expect_input_error([&] { parse("{'descr': '|i1', 'descr': '|i1'" + tail, {0}); }, "key 'descr'");
  expect_input_error([&] { parse("{'descr': '|i1'" + tail + " junk", {0}); }, "behind the header");
  expect_input_error([] { parse("", {}); }, "expected '{'");
  const auto shaped = [](const std::string& shape) {
    return "{'descr': '|i1', 'fortran_order': False, 'shape': " + shape + "}";
  };
  expect_input_error([&] { parse(shaped("(1)"), {0}); }, "needs a comma");
  expect_input_error([&] { parse(shaped("(-1,)"), {0}); }, "expected a dimension");
  expect_input_error([&] { parse(shaped("(99999999999999999999,)"), {0}); }, "too large");
  expect_input_error([&] { parse(shaped("(99999999, 99999999)"), {0}); }, "too large");
  expect_input_error([&] { parse(shaped("[1]"), {0}); }, "expected '('");
}

TEST(Npy, data_of_the_wrong_size_is_refused) {
  const std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}";
  expect_input_error(
      [&] {
        parse(header, {1, 2, 3});
      },
      "3 bytes of data where shape and type need 8");
  expect_input_error([&] { parse(header, std::vector<u8>(9)); }, "need 8");
}

TEST(Npy, truncated_and_foreign_files_are_refused) {
  const std::vector<u8> whole =
      file("{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}", {1, 2, 3, 4});
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(parse_npy("x", std::span(whole).first(size)), InputError) << size;
  expect_input_error([] { parse_npy("x", std::vector<u8>(100)); }, "not a .npy file");
}

TEST(Npy, writing_leaves_no_temporary_file_behind) {
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) / "bhemu_npy_test";
  std::filesystem::create_directories(directory);
  const std::string path = (directory / "x.npy").string();
  write_npy(path, {NpyType::U8, {3}, {1, 2, 3}});
  EXPECT_EQ(read_npy(path).data, (std::vector<u8>{1, 2, 3}));
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++files;
  EXPECT_EQ(files, 1u);
  expect_input_error(
      [] {
        write_npy("/nonexistent/x.npy", {NpyType::U8, {1}, {1}});
      },
      "cannot create");
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace bhemu::host
