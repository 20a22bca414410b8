#include "host/boot/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include "base/check.hpp"
#include "host/boot/likeness.hpp"
#include "host/boot/notes.hpp"
#include "host/error.hpp"
#include "host/file.hpp"
#include "host/suggest.hpp"

namespace bhemu::host {
namespace {

/// SplitMix64: a fixed sequence on every machine.
class Random {
 public:
  explicit Random(u64 seed) : state_(seed) {}
  u64 next() {
    u64 z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  u64 state_;
};

u32 bits_of(DType dtype, double value) {
  if (is_float(dtype)) return to_float_bits(dtype, static_cast<float>(value));
  constexpr double kSafe = 9e18;  // fits i64
  return static_cast<u32>(static_cast<i64>(std::clamp(std::floor(value), -kSafe, kSafe)));
}

std::string index_text(const std::vector<u64>& shape, u64 index) {
  std::vector<u64> parts(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
    parts[axis] = index % shape[axis];
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string value_text(const Tensor& tensor, u64 index) {
  return fmt::format("{} ({:#0{}x})", tensor.value_at(index), tensor.bits_at(index),
                     size_of(tensor.dtype) * 2 + 2);
}

/// Gives an error without a place the place of `mark`.
template <class F>
auto located(const Program& program, Mark mark, F f) {
  try {
    return f();
  } catch (const InputError& error) {
    if (!error.file().empty()) throw;
    throw InputError(program.file, text_of(mark), error.message());
  }
}

[[noreturn]] void rethrow(const Program& program, const ExpressionError& error, Mark mark,
                          const std::string& text) {
  throw InputError(program.file, text_of({mark.line, mark.column + static_cast<u32>(error.column)}),
                   fmt::format("'{}': {}", text, error.what()));
}

std::vector<std::string> split_words(const std::string& name) {
  std::vector<std::string> parts;
  size_t start = 0;
  for (size_t dot; (dot = name.find('.', start)) != std::string::npos; start = dot + 1)
    parts.push_back(name.substr(start, dot - start));
  parts.push_back(name.substr(start));
  return parts;
}

}  // namespace

Tensor generate_tensor(const GeneratedSource& source, DType dtype) {
  using Pattern = GeneratedSource::Pattern;
  Tensor tensor = make_tensor(dtype, source.shape);
  Random random(source.seed);
  const u64 elements = tensor.elements();
  for (u64 i = 0; i < elements; ++i) {
    double value = source.start;
    if (source.pattern == Pattern::Ramp) value += static_cast<double>(i) * source.step;
    if (source.pattern == Pattern::Random) {
      double offset = random.unit() * (source.end - source.start);
      if (source.step > 0) offset = std::floor(offset / source.step) * source.step;
      value += offset;
    }
    tensor.set_bits(i, bits_of(dtype, value));
  }
  share_exponents(tensor);
  return tensor;
}

Check compare_tensors(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance) {
  CHECK(actual.shape == expected.shape && actual.dtype == expected.dtype);
  Check check;
  check.compared = actual.elements();
  if (actual.data == expected.data) {
    check.passed = true;
    return check;
  }
  for (u64 i = 0; i < check.compared; ++i) {
    if (actual.bits_at(i) == expected.bits_at(i)) continue;
    const double difference = std::fabs(actual.value_at(i) - expected.value_at(i));
    const double allowed =
        tolerance.absolute + tolerance.relative * std::fabs(expected.value_at(i));
    if (allowed > 0 && difference <= allowed) {  // false for a NaN
      ++check.close;
      continue;
    }
    if (check.wrong++ == 0) {
      check.first_wrong = i;
      check.detail = fmt::format("at {}: expected {}, got {}", index_text(actual.shape, i),
                                 value_text(expected, i), value_text(actual, i));
    }
  }
  check.passed = check.wrong == 0;
  return check;
}

PreparedProgram::PreparedProgram(const Program& program, const Board& board,
                                 const Firmware& firmware, u64 dram_bank_bytes)
    : program_(program) {
  tiles_ = select_tiles(program_.tiles, board);
  make_parts(board);
  build_tensors();
  place_all(board, firmware, dram_bank_bytes);
  compute_arguments(board, firmware);
  prepare_expectations();
}

std::vector<Coord> PreparedProgram::select_tiles(const TileSpec& spec, const Board& board) const {
  std::vector<Coord> tiles;
  const std::vector<Coord>& live = board.tensix();
  if (spec.kind == TileSpec::Kind::All) tiles = live;
  if (spec.kind == TileSpec::Kind::Rectangle) {
    const Coord from = spec.tiles[0];
    const Coord to = spec.tiles[1];
    for (const Coord tile : live)
      if (tile.x >= from.x && tile.x <= to.x && tile.y >= from.y && tile.y <= to.y)
        tiles.push_back(tile);
    if (tiles.empty())
      throw InputError(program_.file, text_of(spec.marks[0]),
                       fmt::format("no Tensix tile of {} lies in this rectangle", board.name()));
  }
  const auto check_live = [&](Coord tile, const Mark& mark) {
    if (std::find(live.begin(), live.end(), tile) == live.end())
      throw InputError(program_.file, text_of(mark),
                       fmt::format("({}, {}) is no live Tensix tile of {} (bhemu info shows them)",
                                   tile.x, tile.y, board.name()));
  };
  for (const HeldTile& held : program_.held_in_reset) check_live(held.tile, held.mark);
  if (spec.kind != TileSpec::Kind::List) return tiles;
  for (size_t i = 0; i < spec.tiles.size(); ++i) {
    check_live(spec.tiles[i], spec.marks[i]);
    tiles.push_back(spec.tiles[i]);
  }
  return tiles;
}

void PreparedProgram::make_parts(const Board& board) {
  if (program_.launches.empty()) {
    parts_.push_back({&program_, 0, tiles_, {}, {}, {}});
    load_kernels(parts_.back());
    return;
  }
  for (unsigned index = 0; index < program_.launches.size(); ++index) {
    const LaunchSpec& launch = program_.launches[index];
    const size_t first = parts_.size();
    for (const PartSpec& spec : launch.parts) {
      PreparedPart part{&spec, index, select_tiles(spec.tiles, board), {}, {}, {}};
      for (const Coord tile : part.tiles) {
        if (std::find(tiles_.begin(), tiles_.end(), tile) == tiles_.end())
          throw InputError(program_.file, text_of(launch.mark),
                           fmt::format("({}, {}) is none of the program's tiles", tile.x, tile.y));
        for (size_t other = first; other < parts_.size(); ++other)
          if (const auto& tiles = parts_[other].tiles;
              std::find(tiles.begin(), tiles.end(), tile) != tiles.end())
            throw InputError(
                program_.file, text_of(launch.mark),
                fmt::format("two parts of one launch have the tile ({}, {})", tile.x, tile.y));
      }
      load_kernels(part);
      parts_.push_back(std::move(part));
    }
  }
}

void PreparedProgram::load_kernels(PreparedPart& part) {
  for (unsigned core = 0; core < kCores; ++core) {
    const auto& spec = part.spec->kernels[core];
    if (!spec) continue;
    if (spec->path.empty()) throw InputError(spec->source, "", "this source has not been compiled");
    part.launch.kernels[core] = load_kernel(spec->path, spec->raw);
  }
  for (const SemaphoreSpec& spec : program_.semaphores) {
    std::vector<u32>& semaphores = part.launch.semaphores;
    if (semaphores.size() <= spec.index) semaphores.resize(spec.index + 1, 0);
    semaphores[spec.index] = spec.initial;
  }
  part.launch.brisc_noc = part.spec->brisc_noc;
  part.launch.go = program_.go;
}

/// A kernel of our SDK notes which arguments it reads by a constant number (launch.h).
void PreparedProgram::check_arguments_given(const PreparedPart& part) const {
  for (unsigned core = 0; core < kCores; ++core) {
    const auto& kernel = part.launch.kernels[core];
    if (!kernel || kernel->elf == nullptr) continue;
    for (const KernelNote& note : notes_of(*kernel->elf)) {
      const bool common = note.kind == KernelNote::Kind::CommonArgument;
      if (!common && note.kind != KernelNote::Kind::Argument) continue;
      const size_t given =
          common ? part.launch.common_arguments[core].size() : part.launch.argument_counts[core];
      if (note.number < given) continue;
      throw InputError(
          program_.file, text_of(part.spec->kernels[core]->mark),
          fmt::format("the kernel of {} reads {} {} ({}:{}), but {} given", kCoreFileNames[core],
                      common ? "common argument" : "argument", note.number, note.file, note.line,
                      given == 0   ? "none is"
                      : given == 1 ? "only 1 is"
                                   : fmt::format("only {} are", given)));
    }
  }
}

const PreparedTensor* PreparedProgram::tensor(const std::string& name) const {
  for (const PreparedTensor& tensor : tensors_)
    if (tensor.spec->name == name) return &tensor;
  return nullptr;
}

Tensor PreparedProgram::initial_tensor(const TensorSpec& spec) const {
  if (const auto* file = std::get_if<FileSource>(&spec.source))
    return tensor_from_npy(file->path, read_npy(file->path), spec.dtype);
  if (const auto* generated = std::get_if<GeneratedSource>(&spec.source))
    return generate_tensor(*generated, spec.dtype);
  const PreparedTensor* model = tensor(std::get<LikeSource>(spec.source).name);
  CHECK(model != nullptr);
  return make_tensor(spec.dtype, model->initial.shape);
}

void PreparedProgram::build_tensors() {
  for (const TensorSpec& spec : program_.tensors)
    tensors_.push_back({&spec, initial_tensor(spec), {}});
}

void PreparedProgram::place_all(const Board& board, const Firmware& firmware, u64 dram_bank_bytes) {
  constexpr u64 kMaxDramAddress = u64{1} << 32;
  Allocator dram("a DRAM bank", kDramStart, std::min(dram_bank_bytes, kMaxDramAddress),
                 kDramAlignment);
  Allocator l1("L1", firmware.data_buffer_base(), kL1Size, kL1Alignment);
  for (const CircularBufferSpec& spec : program_.circular_buffers) {
    const u64 size = u64{spec.page_size} * spec.pages;
    const u64 address = located(program_, spec.mark, [&] {
      return l1.allocate(size, fmt::format("circular buffer {}", spec.index));
    });
    for (PreparedPart& part : parts_)
      part.launch.circular_buffers.push_back({spec.index, static_cast<u32>(address),
                                              static_cast<u32>(size), spec.pages, spec.page_size});
  }
  for (PreparedTensor& tensor : tensors_)
    tensor.placement = located(program_, tensor.spec->mark, [&] {
      const PageGrid grid = page_grid(tensor.initial, tensor.spec->layout, tensor.spec->page_size);
      return place(tensor.spec->memory, grid, board.dram_banks(), tiles_.size(), dram, l1,
                   fmt::format("tensor '{}'", tensor.spec->name));
    });
}

u32 PreparedProgram::word(const ArgumentSpec& argument, const Scope& scope) const {
  try {
    return evaluate_word(argument.expression, scope);
  } catch (const ExpressionError& error) {
    rethrow(program_, error, argument.mark, argument.text);
  }
}

/// Offsets do not depend on the arguments' values, and semaphore() needs them.
void PreparedProgram::lay_out(const Firmware& firmware) {
  const auto place = [&](PreparedPart& part) {
    part.offsets = located(program_, Mark{}, [&] { return layout_of(part.launch, firmware); });
  };
  for (PreparedPart& part : parts_) {
    for (unsigned core = 0; core < kCores; ++core) {
      part.launch.argument_counts[core] = static_cast<u32>(part.spec->arguments[core].size());
      part.launch.common_arguments[core].resize(part.spec->common_arguments[core].size(), 0);
    }
    place(part);
  }
  // As with tt-metal, a semaphore has one address in all tiles that run at the same time: kernels
  // signal each other at their own one's.
  for (PreparedPart& part : parts_)
    for (const PreparedPart& other : parts_)
      if (other.launch_index == part.launch_index && !other.launch.semaphores.empty())
        part.launch.semaphores_from =
            std::max(part.launch.semaphores_from, other.offsets.semaphores);
  for (PreparedPart& part : parts_)
    if (part.launch.semaphores_from > part.offsets.semaphores) place(part);
}

void PreparedProgram::compute_arguments(PreparedPart& part, const Board& board,
                                        const Firmware& firmware) {
  const PartSpec& spec = *part.spec;
  check_arguments_given(part);
  part.arguments.resize(part.tiles.size());
  for (size_t tile = 0; tile < part.tiles.size(); ++tile) {
    const Scope scope = scope_of(part, part.tiles, tile, board, firmware);
    for (unsigned core = 0; core < kCores; ++core)
      for (const ArgumentSpec& argument : spec.arguments[core])
        part.arguments[tile][core].push_back(word(argument, scope));
  }
  const Scope scope = scope_of(part, part.tiles, 0, board, firmware);
  for (unsigned core = 0; core < kCores; ++core)
    for (size_t i = 0; i < spec.common_arguments[core].size(); ++i)
      part.launch.common_arguments[core][i] = word(spec.common_arguments[core][i], scope);
}

void PreparedProgram::compute_arguments(const Board& board, const Firmware& firmware) {
  lay_out(firmware);
  for (PreparedPart& part : parts_) compute_arguments(part, board, firmware);
  for (size_t tile = 0; tile < tiles_.size(); ++tile) {
    const Scope scope = scope_of(parts_.front(), tiles_, tile, board, firmware);
    for (const WordExpectation& expectation : program_.expect)
      if (!expectation.tile || *expectation.tile == tiles_[tile])
        words_.push_back({tiles_[tile], expectation.address, word(expectation.value, scope)});
  }
  for (const WordExpectation& expectation : program_.expect)
    if (expectation.tile &&
        std::find(tiles_.begin(), tiles_.end(), *expectation.tile) == tiles_.end())
      throw InputError(program_.file, text_of(expectation.mark),
                       fmt::format("({}, {}) is none of the program's tiles", expectation.tile->x,
                                   expectation.tile->y));
}

void PreparedProgram::prepare_expectations() {
  golden_.resize(tensors_.size());
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const auto& expectation = tensors_[i].spec->expect;
    if (!expectation) continue;
    const Tensor& initial = tensors_[i].initial;
    if (const auto* file = std::get_if<FileSource>(&expectation->source)) {
      golden_[i] = tensor_from_npy(file->path, read_npy(file->path), initial.dtype);
      if (golden_[i].shape != initial.shape)
        throw InputError(
            file->path, "",
            fmt::format("shape ({}), the tensor '{}' has ({})", fmt::join(golden_[i].shape, ", "),
                        tensors_[i].spec->name, fmt::join(initial.shape, ", ")));
      continue;
    }
    golden_[i] = make_tensor(initial.dtype, initial.shape);
    try {
      evaluate_tensor(
          std::get<ExpressionNode>(expectation->source),
          [this](const std::string& name) -> const Tensor* {
            const PreparedTensor* found = tensor(name);
            return found != nullptr ? &found->initial : nullptr;
          },
          expectation->rounding, golden_[i]);
    } catch (const ExpressionError& error) {
      rethrow(program_, error, expectation->mark, expectation->text);
    }
  }
}

Scope PreparedProgram::scope_of(const PreparedPart& part, const std::vector<Coord>& tiles,
                                size_t tile, const Board& board, const Firmware& firmware) const {
  return {[this, &tiles, tile, &board](const ExpressionNode& node) {
            return name_value(node, tiles, tile, board);
          },
          [this, &part, &tiles, tile, &firmware](const ExpressionNode& node,
                                                 const std::vector<Value>& values) {
            return call_value(node, values, part, tiles.size(), tile, firmware);
          }};
}

i64 PreparedProgram::name_value(const ExpressionNode& node, const std::vector<Coord>& tiles,
                                size_t index, const Board& board) const {
  const Coord tile = tiles[index];
  const Coord next = tiles[(index + 1) % tiles.size()];
  const Coord previous = tiles[(index + tiles.size() - 1) % tiles.size()];
  const std::pair<const char*, i64> known[] = {
      {"tile.x", tile.x},
      {"tile.y", tile.y},
      {"tile.next.x", next.x},
      {"tile.next.y", next.y},
      {"tile.previous.x", previous.x},
      {"tile.previous.y", previous.y},
      {"tile.index", static_cast<i64>(index)},
      {"tile.count", static_cast<i64>(tiles.size())},
      {"dram.banks", board.dram_banks()},
  };
  std::vector<std::string> names;
  for (const auto& [name, value] : known) {
    if (node.name == name) return value;
    names.push_back(name);
  }
  std::vector<std::string> parts = split_words(node.name);
  if (parts[0] == "tensor") parts.erase(parts.begin());
  const PreparedTensor* found = parts.size() == 2 ? tensor(parts[0]) : nullptr;
  for (const PreparedTensor& tensor : tensors_)
    for (const char* property : {"address", "tiles", "pages", "page_size", "stride", "elements"})
      names.push_back(tensor.spec->name + "." + property);
  if (found != nullptr) {
    const Placement& placement = found->placement;
    if (parts[1] == "address") return placement.address;
    if (parts[1] == "tiles" && found->spec->layout == Layout::Tile)
      return static_cast<i64>(placement.grid.pages);
    if (parts[1] == "pages") return static_cast<i64>(placement.grid.pages);
    if (parts[1] == "page_size") return placement.grid.page_size;
    if (parts[1] == "stride") return placement.stride;
    if (parts[1] == "elements") return static_cast<i64>(found->initial.elements());
  }
  throw ExpressionError(
      node.column, fmt::format("unknown name '{}'{}", node.name, suggestion(node.name, names)));
}

i64 PreparedProgram::call_value(const ExpressionNode& node, const std::vector<Value>& values,
                                const PreparedPart& part, size_t tiles, size_t tile,
                                const Firmware& firmware) const {
  static const std::vector<std::string> kNames = {
      "split.start",  "split.count", "semaphore", "cb",  "cb.size", "cb.pages",
      "cb.page_size", "float",       "bf16",      "min", "max"};
  if (std::find(kNames.begin(), kNames.end(), node.name) == kNames.end())
    throw ExpressionError(node.column, fmt::format("unknown function '{}'{}", node.name,
                                                   suggestion(node.name, kNames)));
  if (values.size() != 1 || values[0].is_real || values[0].integer < 0)
    throw ExpressionError(node.column,
                          fmt::format("{}() takes one whole number, not negative", node.name));
  const i64 number = values[0].integer;
  if (node.name.starts_with("split.")) {
    const Share share = share_of(static_cast<u64>(number), tiles, tile);
    return static_cast<i64>(node.name == "split.start" ? share.start : share.count);
  }
  if (node.name == "semaphore") {
    if (static_cast<u64>(number) >= part.launch.semaphores.size())
      throw ExpressionError(node.column, fmt::format("the program has no semaphore {}", number));
    return firmware.kernel_config_base() + part.offsets.semaphores + number * kSemaphoreStride;
  }
  for (const CircularBufferConfig& cb : part.launch.circular_buffers) {
    if (cb.index != number) continue;
    if (node.name == "cb") return cb.address;
    if (node.name == "cb.size") return cb.size;
    return node.name == "cb.pages" ? cb.pages : cb.page_size;
  }
  throw ExpressionError(node.column, fmt::format("the program has no circular buffer {}", number));
}

void PreparedProgram::start(Device& device, const Firmware& firmware) const {
  for (const PreparedTensor& tensor : tensors_)
    write_pages(device, tensor.placement, tiles_,
                to_pages(tensor.initial, tensor.spec->layout, tensor.placement.grid));
  for (const HeldTile& held : program_.held_in_reset)
    CHECK(device.write32(held.tile, kSoftReset0, kSoftResetAll));
  start_launch(device, firmware, 0);
}

void PreparedProgram::start_launch(Device& device, const Firmware& firmware, unsigned index) const {
  for (const PreparedPart& part : parts_)
    if (part.launch_index == index)
      write_launch(device, firmware, part.launch, part.tiles, part.arguments);
  for (const PreparedPart& part : parts_)
    if (part.launch_index == index) say_go(device, firmware, part.launch, part.tiles);
}

Tensor PreparedProgram::read_tensor(Device& device, const PreparedTensor& tensor) const {
  Tensor result = make_tensor(tensor.initial.dtype, tensor.initial.shape);
  from_pages(result, tensor.spec->layout, tensor.placement.grid,
             read_pages(device, tensor.placement, tiles_));
  return result;
}

Check PreparedProgram::check_tensor(Device& device, size_t index) const {
  const PreparedTensor& tensor = tensors_[index];
  Check check =
      compare_tensors(read_tensor(device, tensor), golden_[index], tensor.spec->tolerance);
  check.what = fmt::format("tensor {} = {}", tensor.spec->name, tensor.spec->expect->text);
  if (check.first_wrong) {
    // Where an element lies is where it leaves a mark.
    Tensor marked = make_tensor(tensor.initial.dtype, tensor.initial.shape);
    std::fill(marked.data.begin(), marked.data.end(), u8{0});
    marked.set_bits(*check.first_wrong, ~0u);
    const std::vector<u8> pages = to_pages(marked, tensor.spec->layout, tensor.placement.grid);
    const auto byte = std::find_if(pages.begin(), pages.end(), [](u8 each) { return each != 0; });
    if (byte != pages.end())
      check.spot =
          spot_of(device.board(), tensor.placement, tiles_, static_cast<u64>(byte - pages.begin()));
    Likeness like =
        likeness_of(tensors_, tensor, golden_[index], read_pages(device, tensor.placement, tiles_),
                    device.board().dram_banks());
    check.likeness = std::move(like.sentence);
    check.likeness_remedy = std::move(like.remedy);
  }
  return check;
}

std::vector<Check> PreparedProgram::check(Device& device) const {
  std::vector<Check> checks;
  for (size_t i = 0; i < tensors_.size(); ++i)
    if (tensors_[i].spec->expect) checks.push_back(check_tensor(device, i));
  if (words_.empty()) return checks;
  Check words;
  words.what = fmt::format("{} word{} in L1", words_.size(), words_.size() == 1 ? "" : "s");
  words.compared = words_.size();
  for (const WordCheck& word : words_) {
    u32 value = 0;
    CHECK(device.read32(word.tile, word.address, value));
    if (value == word.value || words.wrong++ != 0) continue;
    words.spot = Spot{device.board().node_at_translated(word.tile), word.address, 4};
    words.detail = fmt::format("at {:#x} of tile ({}, {}): expected {:#x}, got {:#x}", word.address,
                               word.tile.x, word.tile.y, word.value, value);
  }
  words.passed = words.wrong == 0;
  checks.push_back(std::move(words));
  return checks;
}

std::string PreparedProgram::output_of(const TensorSpec& spec, const std::string& directory) {
  const std::filesystem::path path(spec.save);
  return directory.empty() ? path.string()
                           : (std::filesystem::path(directory) / path.filename()).string();
}

std::vector<std::string> PreparedProgram::inputs() const {
  std::vector<std::string> files{program_.file};
  for (const PreparedPart& part : parts_)
    for (const auto& kernel : part.spec->kernels)
      if (kernel) files.push_back(kernel->source.empty() ? kernel->path : kernel->source);
  for (const TensorSpec& spec : program_.tensors) {
    if (const auto* file = std::get_if<FileSource>(&spec.source)) files.push_back(file->path);
    if (!spec.expect) continue;
    if (const auto* file = std::get_if<FileSource>(&spec.expect->source))
      files.push_back(file->path);
  }
  return files;
}

void PreparedProgram::check_outputs(const std::string& directory) const {
  std::vector<std::string> targets;
  for (const PreparedTensor& tensor : tensors_) {
    if (tensor.spec->save.empty()) continue;
    const std::string path = output_of(*tensor.spec, directory);
    const std::string target = std::filesystem::path(output_target(path)).lexically_normal();
    for (const std::string& input : inputs()) {
      std::error_code error;
      if (std::filesystem::equivalent(target, input, error))
        throw InputError(path, "",
                         fmt::format("tensor '{}' would be saved over {}, which the program is "
                                     "made of",
                                     tensor.spec->name, input));
    }
    if (std::find(targets.begin(), targets.end(), target) != targets.end())
      throw InputError(path, "",
                       fmt::format("tensor '{}' would be saved over another", tensor.spec->name));
    targets.push_back(target);
  }
}

std::vector<std::string> PreparedProgram::save(Device& device, const std::string& directory) const {
  std::vector<std::string> saved;
  for (const PreparedTensor& tensor : tensors_) {
    if (tensor.spec->save.empty()) continue;
    const std::filesystem::path path(output_of(*tensor.spec, directory));
    std::error_code error;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
    if (error)
      throw InputError(path.string(), "", "cannot create its directory: " + error.message());
    write_npy(path.string(), npy_from_tensor(read_tensor(device, tensor)));
    saved.push_back(path.string());
  }
  return saved;
}

}  // namespace bhemu::host
