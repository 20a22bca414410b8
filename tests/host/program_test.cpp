#include "host/program/program.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "host/expect_input_error.hpp"

namespace bhemu::host {
namespace {

using test::expect_input_error;

const std::string kMinimal = "name: x\nkernels: {brisc: k.elf}\n";

Program parse(const std::string& text) {
  return parse_program("dir/p.yaml", text);
}

/// That `text` is refused with `message` at line:column.
void refuses(const std::string& text, const std::string& place, const std::string& message) {
  expect_input_error([&] { parse(text); }, message, place);
}

TEST(Program, every_example_loads) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BHEMU_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const Program program = load_program(entry.path().string());
    EXPECT_FALSE(program.name.empty());
    EXPECT_FALSE(program.description.empty()) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 5u);
}

TEST(Program, everything_is_read) {
  const Program program = parse(R"(name: all
description: Everything.
board: P150
tiles: {from: [1, 2], to: [4, 5]}
brisc_noc: 0
kernels:
  brisc: ../k/brisc.elf
  trisc1: {raw: code.bin}
circular_buffers:
  - {index: 31, page_size: 0x800, pages: 2, format: fp16}
semaphores:
  - {index: 3, initial: 7}
tensors:
  in: {generate: {shape: [2, 64, 32], pattern: random, seed: 9, low: -1, high: 3.5}, dtype: int32,
       layout: row_major, memory: l1, page_size: 64}
  out: {like: in, memory: dram_interleaved, save: o.npy, tolerance: 0.5,
        expect: {expression: "in * 2", rounding: away}}
  ref: {file: /abs/x.npy, dtype: bf16, expect: {file: y.npy}}
arguments: {brisc: [in.address, 5]}
common_arguments: {trisc1: [float(1.5)]}
expect:
  - {tile: [1, 2], address: 0x1000, value: tile.index}
  - {tile: all, address: 4, value: -1}
)");
  EXPECT_EQ(program.board, BoardModel::P150);
  EXPECT_EQ(program.tiles.kind, TileSpec::Kind::Rectangle);
  EXPECT_EQ(program.brisc_noc, 0);
  EXPECT_EQ(program.kernels[0]->path, "k/brisc.elf");
  EXPECT_TRUE(program.kernels[3]->raw);
  EXPECT_EQ(program.circular_buffers[0].page_size, 2048u);
  EXPECT_EQ(program.circular_buffers[0].format, DType::Fp16);
  EXPECT_EQ(program.semaphores[0].initial, 7u);
  const TensorSpec& in = program.tensors[0];
  EXPECT_EQ(in.name, "in");
  EXPECT_EQ(in.memory, TensorMemory::L1);
  const auto& generated = std::get<GeneratedSource>(in.source);
  EXPECT_EQ(generated.shape, (std::vector<u64>{2, 64, 32}));
  EXPECT_EQ(generated.end, 3.5);
  const TensorSpec& out = program.tensors[1];
  EXPECT_EQ(out.dtype, DType::Int32);
  EXPECT_EQ(out.layout, Layout::RowMajor);
  EXPECT_EQ(out.memory, TensorMemory::DramInterleaved);
  EXPECT_EQ(out.save, "dir/o.npy");
  EXPECT_EQ(out.tolerance.absolute, 0.5);
  EXPECT_EQ(out.expect->rounding, Rounding::Away);
  EXPECT_EQ(std::get<FileSource>(program.tensors[2].source).path, "/abs/x.npy");
  EXPECT_EQ(program.arguments[0].size(), 2u);
  EXPECT_EQ(program.common_arguments[3].size(), 1u);
  EXPECT_EQ(program.expect[0].tile, (Coord{1, 2}));
  EXPECT_FALSE(program.expect[1].tile.has_value());
}

TEST(Program, unknown_keys_get_a_suggestion_and_a_place) {
  refuses(kMinimal + "tils: all\n", "3:1",
          "unknown key 'tils' in the program, did you mean 'tiles'?");
  refuses(kMinimal + "semaphores:\n  - {index: 0, inital: 1}\n", "4:16", "did you mean 'initial'?");
  refuses(
      kMinimal + "tensors:\n  a: {generate: {shape: [1], pattern: ramp, sed: 1}, dtype: bf16}\n",
      "4:45", "did you mean 'seed'?");
  refuses(kMinimal + "tensors:\n  a: {file: x, dtype: bf16, layout: tiles}\n", "4:37",
          "did you mean 'tile'?");
}

TEST(Program, mistakes_have_line_and_column) {
  refuses("", "1:1", "the file is empty");
  refuses("[1]", "1:1", "must be a mapping");
  refuses("name: x\n", "1:1", "lacks 'kernels'");
  refuses("name: x\nname: y\nkernels: {brisc: k}\n", "2:1", "appears twice");
  refuses("name: x\nkernels: {}\n", "2:10", "nothing would run");
  refuses("name: x\nkernels: {brics: k}\n", "2:11", "did you mean 'brisc'?");
  refuses(kMinimal + "board: p300\n", "3:8", "board 'p300' is unknown");
  refuses(kMinimal + "tiles: [[1, 2], [1]]\n", "3:17", "a pair [x, y]");
  refuses(kMinimal + "tiles: [[1, 2], [1, 2]]\n", "3:17", "appears twice");
  refuses(kMinimal + "tiles: {from: [4, 4], to: [1, 1]}\n", "3:8", "must be left of");
  refuses(kMinimal + "tiles: []\n", "3:8", "empty");
  refuses(kMinimal + "circular_buffers:\n  - {index: 32, page_size: 32, pages: 1}\n", "4:13",
          "between 0 and 31");
  refuses(kMinimal + "circular_buffers:\n  - {index: 0, page_size: 20, pages: 1}\n", "4:27",
          "multiple of 16");
  refuses(kMinimal + "circular_buffers: {index: 0}\n", "3:19", "must be a list");
  refuses(kMinimal + "tensors:\n  a: {dtype: bf16}\n", "4:6", "exactly one of");
  refuses(kMinimal + "tensors:\n  a: {file: x}\n", "4:6", "lacks 'dtype'");
  refuses(kMinimal + "tensors:\n  a: {file: x, dtype: bf17}\n", "4:23", "'bf17' is unknown");
  refuses(kMinimal + "tensors:\n  a: {like: b}\n", "4:13", "no tensor before this one");
  refuses(kMinimal + "tensors:\n  tile: {file: x, dtype: bf16}\n", "4:3", "cannot be called");
  refuses(kMinimal + "tensors:\n  a: {file: x, dtype: bf16, tolerance: -1}\n", "4:40", "negative");
  refuses(kMinimal + "tensors:\n  a: {file: x, dtype: bf16, relative_tolerance: -1}\n", "4:49",
          "negative");
  refuses(kMinimal + "arguments: {brisc: [1 + ]}\n", "3:24", "ends too early");
  refuses(kMinimal + "arguments: {ncrisc: [1]}\n", "3:21", "which has no kernel");
  refuses(kMinimal + "expect: [{address: 2, value: 1}]\n", "3:20", "multiple of 4");
  refuses(kMinimal + "expect: [{address: 0x180000, value: 1}]\n", "3:20", "between");
  refuses("name: [\n", "2:1", "");
  refuses("name: x\n\tkernels: 1\n", "2:1", "");
}

TEST(Program, yaml_bombs_and_deep_nesting_are_refused) {
  EXPECT_THROW(parse(std::string(50000, '[')), InputError);
  EXPECT_THROW(parse(std::string(50000, '{')), InputError);
}

}  // namespace
}  // namespace bhemu::host
