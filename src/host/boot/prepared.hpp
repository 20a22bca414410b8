// A program made ready for one board and one firmware: files read, tensors built and placed,
// arguments computed. Everything that can be wrong with the input shows here, before a cycle runs.
#pragma once

#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/boot/launch.hpp"
#include "host/program/memory.hpp"
#include "host/program/program.hpp"
#include "host/spot.hpp"

namespace bhemu::host {

struct PreparedTensor {
  const TensorSpec* spec = nullptr;
  Tensor initial;
  Placement placement;
};

/// One thing that was compared.
struct Check {
  std::string what;  // "tensor output: input + 1.5"
  bool passed = false;
  u64 compared = 0;  // elements or words
  u64 wrong = 0;
  u64 close = 0;                        // not equal, but within the tolerance
  std::string detail;                   // the first difference
  std::optional<u64> first_wrong = {};  // its element
  std::optional<Spot> spot = {};        // and where that lies
  std::string likeness = {};            // what it would be right for (likeness.hpp)
  std::string likeness_remedy = {};
};

/// A part of a launch.
struct PreparedPart {
  const PartSpec* spec = nullptr;
  unsigned launch_index = 0;  // when it runs
  std::vector<Coord> tiles;
  Launch launch;
  LaunchOffsets offsets;
  std::vector<TileArguments> arguments;  // by tile
};

class PreparedProgram {
 public:
  /// `program` must outlive this. Throws InputError.
  PreparedProgram(const Program& program, const Board& board, const Firmware& firmware,
                  u64 dram_bank_bytes);

  const Program& program() const { return program_; }
  const std::vector<Coord>& tiles() const { return tiles_; }
  const std::vector<PreparedPart>& parts() const { return parts_; }
  unsigned launches() const { return parts_.back().launch_index + 1; }
  /// Of the first part; most programs have no other.
  const Launch& launch() const { return parts_.front().launch; }
  const LaunchOffsets& offsets() const { return parts_.front().offsets; }
  const std::vector<PreparedTensor>& tensors() const { return tensors_; }
  const std::vector<TileArguments>& arguments() const { return parts_.front().arguments; }

  /// Writes tensors to a booted device, then what the first launch needs, and says go.
  void start(Device& device, const Firmware& firmware) const;
  /// The same of a later launch, without the tensors.
  void start_launch(Device& device, const Firmware& firmware, unsigned index) const;
  /// Reads back what is expected or saved and compares. Throws InputError when an expectation makes
  /// no sense for the data (a division by zero).
  std::vector<Check> check(Device& device) const;
  /// Throws InputError when save() could not write, or would write over something that the program
  /// is made of.
  void check_outputs(const std::string& directory) const;
  /// Writes the tensors that the program saves; with `directory`, there, by file name. Returns
  /// paths.
  std::vector<std::string> save(Device& device, const std::string& directory) const;

 private:
  struct WordCheck {
    Coord tile;
    u32 address = 0;
    u32 value = 0;
  };

  std::vector<Coord> select_tiles(const TileSpec& spec, const Board& board) const;
  void make_parts(const Board& board);
  void load_kernels(PreparedPart& part);
  void check_arguments_given(const PreparedPart& part) const;
  void build_tensors();
  Tensor initial_tensor(const TensorSpec& spec) const;
  void place_all(const Board& board, const Firmware& firmware, u64 dram_bank_bytes);
  void compute_arguments(const Board& board, const Firmware& firmware);
  void prepare_expectations();
  u32 word(const ArgumentSpec& argument, const Scope& scope) const;
  void lay_out(const Firmware& firmware);
  void compute_arguments(PreparedPart& part, const Board& board, const Firmware& firmware);
  /// For the tile of this number of a part, or of the program.
  Scope scope_of(const PreparedPart& part, const std::vector<Coord>& tiles, size_t tile,
                 const Board& board, const Firmware& firmware) const;
  i64 name_value(const ExpressionNode& node, const std::vector<Coord>& tiles, size_t tile,
                 const Board& board) const;
  i64 call_value(const ExpressionNode& node, const std::vector<Value>& values,
                 const PreparedPart& part, size_t tiles, size_t tile,
                 const Firmware& firmware) const;
  Check check_tensor(Device& device, size_t index) const;
  Tensor read_tensor(Device& device, const PreparedTensor& tensor) const;
  const PreparedTensor* tensor(const std::string& name) const;
  static std::string output_of(const TensorSpec& spec, const std::string& directory);
  std::vector<std::string> inputs() const;

  const Program& program_;
  std::vector<Coord> tiles_;
  std::vector<PreparedPart> parts_;  // in the order of their launches
  std::vector<PreparedTensor> tensors_;
  std::vector<Tensor> golden_;  // one per tensor; without data where nothing is expected
  std::vector<WordCheck> words_;
};

/// Values of a generated tensor, as the dtype's bits.
Tensor generate_tensor(const GeneratedSource& source, DType dtype);

/// The first difference of two tensors of equal shape and type, and how many there are. With
/// tolerance 0 every bit counts.
Check compare_tensors(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance);

}  // namespace bhemu::host
