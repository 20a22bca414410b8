// A program file: YAML that says which kernels run on which tiles with which buffers, arguments and
// tensors, and what must come out. docs and examples/ show the format; unknown keys are errors.
//
// Loading checks the form and every reference within the file; nothing is opened besides it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "device/board.hpp"
#include "host/program/expression.hpp"
#include "host/program/tensor.hpp"

namespace bhemu::host {

/// Where in the file something was written; counts from 1.
struct Mark {
  u32 line = 0;
  u32 column = 0;
};
std::string text_of(Mark mark);  // "12:5"

struct ArgumentSpec {
  ExpressionNode expression;
  std::string text;
  Mark mark;
};

struct TileSpec {
  enum class Kind : u8 { All, List, Rectangle };
  Kind kind = Kind::All;
  std::vector<Coord> tiles;  // List; Rectangle: first and last corner
  std::vector<Mark> marks;   // of each entry of `tiles`
};

struct KernelSpec {
  std::string path;    // as seen from the working directory; of a source, once it is compiled
  bool raw = false;    // bytes for L1 as they are, entered at their start
  std::string source;  // C, to be compiled (compile.hpp); empty: `path` is compiled
  std::vector<std::string> flags;  // for that
  Mark mark;
};

struct CircularBufferSpec {
  u32 index = 0;
  u32 page_size = 0;  // bytes
  u32 pages = 0;
  std::optional<DType> format;  // for reports only; kernels know it at compile time
  Mark mark;
};

struct SemaphoreSpec {
  u32 index = 0;
  u32 initial = 0;
  Mark mark;
};

enum class TensorMemory : u8 {
  DramInterleaved,  // page i in bank i % banks
  L1,               // pages in equal runs over the tiles, as split.start and split.count say
  L1Replicated,     // everything in every tile
};
const char* name_of(TensorMemory memory);

struct FileSource {
  std::string path;
};
struct GeneratedSource {
  enum class Pattern : u8 { Ramp, Random, Constant };
  Pattern pattern = Pattern::Ramp;
  std::vector<u64> shape;
  u64 seed = 0;
  double start = 0;  // Ramp: first value; Constant: the value; Random: lowest
  double step = 1;   // Ramp; Random: values are whole steps above the lowest, 0: any
  double end = 1;    // Random: values lie below
};
/// Shape (and by default everything else) of another tensor; zeroes.
struct LikeSource {
  std::string name;
};

struct TensorExpectation {
  std::variant<ExpressionNode, FileSource> source;
  std::string text;
  Rounding rounding = Rounding::NearestEven;
  Mark mark;
};

/// How far a result may be from what is expected; all zero: bit for bit.
struct Tolerance {
  double absolute = 0;
  double relative = 0;  // times the expected value
};

struct TensorSpec {
  std::string name;
  std::variant<FileSource, GeneratedSource, LikeSource> source;
  DType dtype = DType::Bf16;
  Layout layout = Layout::Tile;
  TensorMemory memory = TensorMemory::DramInterleaved;
  u32 page_size = 0;  // row_major: bytes of a page; 0: a row
  std::string save;   // .npy to write; empty: none
  std::optional<TensorExpectation> expect;
  Tolerance tolerance;
  Mark mark;
};

struct WordExpectation {
  std::optional<Coord> tile;  // none: every tile of the program
  u32 address = 0;
  ArgumentSpec value;
  Mark mark;
};

struct HeldTile {
  Coord tile;
  Mark mark;
};

/// What runs on some tiles.
struct PartSpec {
  TileSpec tiles;
  std::array<std::optional<KernelSpec>, kCores> kernels;
  std::array<std::vector<ArgumentSpec>, kCores> arguments;
  std::array<std::vector<ArgumentSpec>, kCores> common_arguments;
  u8 brisc_noc = 1;  // what the launch message tells BRISC; NCRISC's kernels use the other
};

/// Parts on tiles of their own that are started together.
struct LaunchSpec {
  std::string name;
  std::vector<PartSpec> parts;
  Mark mark;
};

/// As a part: what the file says outside of `launches` and `parts`.
struct Program : PartSpec {
  std::string file;
  std::string name;
  std::string description;
  std::optional<BoardModel> board;
  std::string check;                 // as --check; empty: the usual ones
  std::vector<LaunchSpec> launches;  // one after another; empty: one, of the program as a part
  std::vector<CircularBufferSpec> circular_buffers;
  std::vector<SemaphoreSpec> semaphores;
  std::vector<TensorSpec> tensors;  // in the order of the file; a `like` comes after its model
  bool go = true;                   // false: everything is set up, but the go message is never sent
  std::vector<HeldTile> held_in_reset;  // their cores are put into reset before the go
  std::vector<WordExpectation> expect;

  const TensorSpec* tensor(const std::string& name) const;
  /// Every part, that of the program itself too.
  template <class Visit>
  void each_part(Visit visit) {
    visit(static_cast<PartSpec&>(*this));
    for (LaunchSpec& launch : launches)
      for (PartSpec& part : launch.parts) visit(part);
  }
};

/// Throw InputError with line and column.
Program load_program(const std::string& path);
/// Paths inside are taken as seen from the directory of `path`.
Program parse_program(const std::string& path, const std::string& text);

/// "p100a" or "p150" in any case.
std::optional<BoardModel> board_named(const std::string& name);

}  // namespace bhemu::host
