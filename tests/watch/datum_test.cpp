// Each byte of a result is followed to the bytes of the inputs that it was made of, and to no
// others: through packer, register files, vector unit and unpackers, in every way that the examples
// go.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "host/boot/machine.hpp"
#include "watch/unwritten.hpp"
#include "watch/why.hpp"

namespace bhemu::watch {
namespace {

namespace fs = std::filesystem;

/// Bytes of a page of a tensor.
struct Bytes {
  std::string tensor;
  u64 page = 0;
  u64 within = 0;
  u64 count = 0;
  auto operator<=>(const Bytes&) const = default;
};
std::string text_of(const std::set<Bytes>& all) {
  std::string text;
  for (const Bytes& one : all)
    text += fmt::format("{} page {} [{}, +{}]; ", one.tensor, one.page, one.within, one.count);
  return text;
}

/// A program that has run, with all that has happened in it.
class Ran {
 public:
  explicit Ran(const std::string& name)
      : program_(host::load_program(BHEMU_SOURCE_DIR "/examples/" + name + ".yaml")),
        machine_(options(program_), host::Firmware::embedded()),
        writers_(machine_.device()),
        prepared_(machine_.prepare(program_)) {
    machine_.boot();
    const fs::path directory = fs::temp_directory_path() / fmt::format("bhemu_datum.{}", getpid());
    fs::create_directories(directory);
    ok_ = machine_.run(prepared_, directory.string()).status == host::Status::Ok;
    fs::remove_all(directory);
  }

  bool ok() const { return ok_; }
  const std::string& said() const { return said_; }

  /// What the host has written of those bytes of a tensor's pages that these come from.
  std::set<Bytes> origins_of(const Bytes& asked) {
    const Device& device = machine_.device();
    const host::Placement& placement = tensor(asked.tensor).placement;
    const u64 offset = asked.page * placement.grid.page_size + asked.within;
    const host::Spot spot = host::spot_of(device.board(), placement, prepared_.tiles(), offset);
    Question question;
    question.node = spot.node;
    question.tile = device.coord_of(spot.node);
    question.text = "asked";
    question.places = {{Area::Memory, spot.address, spot.address + asked.count}};
    const std::vector<Answer> answers = why(writers_, question, 40);
    said_ = watch::text_of(device, question, answers, machine_.code());
    std::set<Bytes> found;
    for (const Answer& answer : answers) collect(answer, found);
    return found;
  }

 private:
  static DeviceOptions options(const host::Program& program) {
    DeviceOptions options;
    options.board = BoardOptions::defaults(program.board.value_or(BoardModel::P100A));
    return options;
  }
  const host::PreparedTensor& tensor(const std::string& name) const {
    for (const host::PreparedTensor& one : prepared_.tensors())
      if (one.spec->name == name) return one;
    throw std::runtime_error("no tensor " + name);
  }
  void collect(const Answer& answer, std::set<Bytes>& found) const {
    const bool host = answer.known && answer.writer.kind == Actor::Kind::Host;
    if (host && answer.place.area == Area::Memory)
      if (const auto at =
              page_at(machine_.device().board(), prepared_, answer.node, answer.place.begin))
        found.insert({at->tensor->spec->name, at->page, at->within, answer.place.size()});
    for (const Answer& from : answer.from) collect(from, found);
  }

  host::Program program_;
  mutable host::Machine machine_;
  WritersOfDevice writers_;
  host::PreparedProgram prepared_;
  bool ok_ = false;
  std::string said_;
};

/// Where an element of a matrix of tiles lies: page, and index of the datum in it.
struct Element {
  u64 page = 0;
  u64 index = 0;
};
Element in_tiles(u32 row, u32 column, u32 columns) {
  return {u64{row / 32} * (columns / 32) + column / 32, host::index_in_tile(row % 32, column % 32)};
}

constexpr std::pair<u32, u32> kElements[] = {{0, 0},   {0, 1},   {5, 18},  {17, 3},
                                             {31, 31}, {33, 77}, {100, 40}};

void expect_origins(Ran& ran, const Bytes& asked, const std::set<Bytes>& wanted) {
  const std::set<Bytes> found = ran.origins_of(asked);
  EXPECT_EQ(found, wanted) << "of page " << asked.page << " [" << asked.within << ", +"
                           << asked.count << "]: " << text_of(found) << "\nwanted "
                           << text_of(wanted) << "\n"
                           << ran.said();
}

TEST(Datums, of_a_copy_come_from_the_same_datums) {
  Ran ran("copy");
  ASSERT_TRUE(ran.ok());
  for (const auto& [row, column] : kElements) {
    const auto [page, index] = in_tiles(row, column, 512);
    expect_origins(ran, {"output", page, 2 * index, 2}, {{"input", page, 2 * index, 2}});
    // A byte alone comes from the datum that it is part of.
    expect_origins(ran, {"output", page, 2 * index + 1, 1}, {{"input", page, 2 * index, 2}});
  }
}

TEST(Datums, of_a_sum_come_from_one_datum_of_each_operand) {
  Ran ran("binary_add");
  ASSERT_TRUE(ran.ok());
  for (const auto& [row, column] : kElements) {
    const auto [page, index] = in_tiles(row, column, 384);
    expect_origins(ran, {"output", page, 2 * index, 2},
                   {{"left", page, 2 * index, 2}, {"right", page, 2 * index, 2}});
  }
}

TEST(Datums, of_a_transposed_matrix_come_from_the_mirrored_place) {
  Ran ran("transpose");
  ASSERT_TRUE(ran.ok());
  for (const auto& [row, column] : kElements) {
    const auto [page, index] = in_tiles(row, column, 320);
    const auto [from, source] = in_tiles(column, row, 384);
    expect_origins(ran, {"output", page, 2 * index, 2}, {{"input", from, 2 * source, 2}});
  }
}

TEST(Datums, that_were_tiled_come_from_their_rows) {
  Ran ran("tilize");
  ASSERT_TRUE(ran.ok());
  for (const auto& [row, column] : kElements) {
    const auto [page, index] = in_tiles(row, column, 192);
    expect_origins(ran, {"output", page, 2 * index, 2}, {{"input", row, 2 * column, 2}});
  }
}

TEST(Datums, of_a_function_of_the_vector_unit_come_from_their_own_lane) {
  Ran ran("unary_gelu");
  ASSERT_TRUE(ran.ok());
  for (const auto& [row, column] : kElements) {
    const auto [page, index] = in_tiles(row, column, 384);
    expect_origins(ran, {"output", page, 2 * index, 2}, {{"input", page, 2 * index, 2}});
  }
}

TEST(Datums, of_32_bits_come_from_both_halves_of_their_row) {
  Ran ran("typecast_bf16_fp32");
  ASSERT_TRUE(ran.ok());
  for (const auto& [row, column] : kElements) {
    const auto [page, index] = in_tiles(row, column, 384);
    expect_origins(ran, {"output", page, 4 * index, 4}, {{"input", page, 2 * index, 2}});
  }
}

constexpr u64 kExponents = 64;  // bytes in front of the datums of a tile of block floats

TEST(Datums, of_packed_blocks_come_from_their_datum_and_exponents_from_the_sixteen_that_share_it) {
  Ran ran("typecast_bf16_bfp8");
  ASSERT_TRUE(ran.ok());
  for (const auto& [row, column] : kElements) {
    const auto [page, index] = in_tiles(row, column, 384);
    expect_origins(ran, {"output", page, kExponents + index, 1}, {{"input", page, 2 * index, 2}});
    const u64 block = index / 16;
    expect_origins(ran, {"output", page, block, 1}, {{"input", page, 32 * block, 32}});
  }
}

TEST(Datums, of_unpacked_blocks_come_from_their_datum_and_its_exponent) {
  Ran ran("typecast_bfp8_bf16");
  ASSERT_TRUE(ran.ok());
  for (const auto& [row, column] : kElements) {
    const auto [page, index] = in_tiles(row, column, 384);
    expect_origins(ran, {"output", page, 2 * index, 2},
                   {{"input", page, index / 16, 1}, {"input", page, kExponents + index, 1}});
  }
}

TEST(Datums, of_a_product_come_from_their_row_of_the_left_operand) {
  Ran ran("matmul_hifi4");
  ASSERT_TRUE(ran.ok());
  for (const auto& [row, column] : kElements) {
    const auto [page, index] = in_tiles(row, column, 384);
    const std::set<Bytes> found = ran.origins_of({"output", page, 2 * index, 2});
    std::set<std::string> tensors;
    for (const Bytes& one : found) {
      tensors.insert(one.tensor);
      if (one.tensor != "left") continue;
      EXPECT_EQ(one.page / 4, row / 32) << text_of(found);
      EXPECT_EQ(one.count, 32u) << text_of(found);
      EXPECT_EQ(one.within / 1024 * 16 + one.within / 32 % 16, row % 32) << text_of(found);
    }
    EXPECT_EQ(tensors, (std::set<std::string>{"left", "right"})) << text_of(found) << ran.said();
  }
}

}  // namespace
}  // namespace bhemu::watch
