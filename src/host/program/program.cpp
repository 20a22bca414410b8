#include "host/program/program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/boot/firmware.hpp"
#include "host/file.hpp"
#include "host/program/yaml_reader.hpp"
#include "host/settings/software.hpp"
#include "host/suggest.hpp"

namespace bhemu::host {
namespace {

constexpr u64 kMaxDimension = u64{1} << 32;
constexpr u64 kMaxElements = u64{1} << 33;
constexpr u32 kMaxCircularBuffers = 32;  // bits of the launch message's mask
constexpr u32 kMaxSemaphores = 64;
constexpr size_t kMaxArguments = 341;  // tt-metal's limit of runtime arguments for one core
constexpr u32 kMaxWord = ~0u;

const std::vector<std::string> kMemoryNames = {"dram_interleaved", "l1", "l1_replicated"};
const std::vector<std::string> kLayoutNames = {"tile", "row_major"};
const std::vector<std::string> kRoundingNames = {"nearest_even", "truncate", "away"};
const std::vector<std::string> kPatternNames = {"ramp", "random", "constant"};

const std::vector<std::string>& core_names() {
  static const std::vector<std::string> names(kCoreFileNames.begin(), kCoreFileNames.end());
  return names;
}

class ProgramReader {
 public:
  ProgramReader(std::string file, const YAML::Node& root) : yaml_(file), root_(root) {
    program_.file = std::move(file);
  }

  Program read() {
    yaml_.check_keys(root_, "the program",
                     {"name", "description", "board", "tiles", "kernels", "circular_buffers",
                      "semaphores", "tensors", "arguments", "common_arguments", "brisc_noc", "go",
                      "held_in_reset", "expect", "parts", "launches", "check"});
    program_.name = yaml_.text(yaml_.required(root_, "name", "the program"), "name");
    if (const auto node = root_["description"])
      program_.description = yaml_.text(node, "description");
    if (const auto node = root_["board"]) read_board(node);
    if (const auto node = root_["check"]) read_check(node);
    if (const auto node = root_["tiles"]) read_tiles(node, program_.tiles);
    const bool several = root_["parts"] || root_["launches"];
    if (!several) read_kernels(yaml_.required(root_, "kernels", "the program"), program_);
    each(root_["circular_buffers"], "circular_buffers", &ProgramReader::read_circular_buffer);
    each(root_["semaphores"], "semaphores", &ProgramReader::read_semaphore);
    if (const auto node = root_["tensors"]) read_tensors(node);
    if (several)
      read_launches();
    else
      read_part_settings(root_, program_);
    if (const auto node = root_["go"])
      program_.go = yaml_.choice(node, "go", {"false", "true"}) == 1;
    each(root_["held_in_reset"], "held_in_reset", &ProgramReader::read_held_tile);
    each(root_["expect"], "expect", &ProgramReader::read_word_expectation);
    return std::move(program_);
  }

 private:
  void each(const YAML::Node& list, const char* what,
            void (ProgramReader::*read)(const YAML::Node&)) {
    if (!list) return;
    yaml_.check_sequence(list, what);
    for (const auto& item : list) (this->*read)(item);
  }

  std::string path(const YAML::Node& node, const std::string& what) const {
    return relative_to(program_.file, yaml_.text(node, what));
  }

  void read_board(const YAML::Node& node) {
    program_.board = board_named(yaml_.text(node, "board"));
    if (!program_.board)
      yaml_.fail(node, fmt::format("board '{}' is unknown{}", node.Scalar(),
                                   suggestion(node.Scalar(), {"p100a", "p150"})));
  }

  void read_held_tile(const YAML::Node& node) {
    program_.held_in_reset.push_back({yaml_.tile(node), YamlReader::mark_of(node)});
  }

  void read_check(const YAML::Node& node) {
    if (!node.IsSequence()) {
      program_.check = yaml_.text(node, "check");
    } else {
      for (const auto& item : node)
        program_.check += (program_.check.empty() ? "" : ",") + yaml_.text(item, "check");
    }
    try {
      check_set(program_.check, SettingStyle::File);
    } catch (const InputError& error) {
      yaml_.fail(node, error.message());
    }
  }

  void read_part_settings(const YAML::Node& node, PartSpec& part) {
    if (const auto child = node["arguments"])
      read_arguments(child, "arguments", part, part.arguments);
    if (const auto child = node["common_arguments"])
      read_arguments(child, "common_arguments", part, part.common_arguments);
    if (const auto child = node["brisc_noc"])
      part.brisc_noc = static_cast<u8>(yaml_.integer(child, "brisc_noc", 0, 1));
  }

  PartSpec read_part(const YAML::Node& node, const char* what) {
    PartSpec part;
    part.tiles = program_.tiles;
    if (const auto child = node["tiles"]) {
      part.tiles = {};
      read_tiles(child, part.tiles);
    }
    read_kernels(yaml_.required(node, "kernels", what), part);
    read_part_settings(node, part);
    return part;
  }

  std::vector<PartSpec> read_parts(const YAML::Node& list) {
    yaml_.check_sequence(list, "parts");
    if (list.size() == 0) yaml_.fail(list, "parts is empty: nothing would run");
    std::vector<PartSpec> parts;
    for (const auto& node : list) {
      yaml_.check_keys(node, "a part",
                       {"tiles", "kernels", "arguments", "common_arguments", "brisc_noc"});
      parts.push_back(read_part(node, "a part"));
    }
    return parts;
  }

  /// `parts` is one launch; each of `launches` has parts, or is one.
  void read_launches() {
    for (const char* key : {"kernels", "arguments", "common_arguments", "brisc_noc"})
      if (root_[key])
        yaml_.fail(root_[key], fmt::format("'{}' belongs into the parts or launches", key));
    const YAML::Node parts = root_["parts"];
    const YAML::Node launches = root_["launches"];
    if (parts && launches) yaml_.fail(parts, "'parts' belongs into the launches");
    if (parts) {
      program_.launches.push_back({"", read_parts(parts), YamlReader::mark_of(parts)});
      return;
    }
    yaml_.check_sequence(launches, "launches");
    if (launches.size() == 0) yaml_.fail(launches, "launches is empty: nothing would run");
    for (const auto& node : launches) {
      LaunchSpec launch;
      launch.mark = YamlReader::mark_of(node);
      yaml_.check_keys(
          node, "a launch",
          {"name", "parts", "tiles", "kernels", "arguments", "common_arguments", "brisc_noc"});
      if (const auto name = node["name"]) launch.name = yaml_.text(name, "name");
      if (const auto own = node["parts"]) {
        for (const char* key : {"tiles", "kernels", "arguments", "common_arguments", "brisc_noc"})
          if (node[key]) yaml_.fail(node[key], fmt::format("'{}' belongs into the parts", key));
        launch.parts = read_parts(own);
      } else {
        launch.parts.push_back(read_part(node, "a launch"));
      }
      program_.launches.push_back(std::move(launch));
    }
  }

  void read_tiles(const YAML::Node& node, TileSpec& spec) {
    const auto add = [&](const YAML::Node& tile) {
      spec.tiles.push_back(yaml_.tile(tile));
      spec.marks.push_back(YamlReader::mark_of(tile));
    };
    if (node.IsScalar()) {
      yaml_.choice(node, "tiles", {"all"});
    } else if (node.IsMap()) {
      yaml_.check_keys(node, "tiles", {"from", "to"});
      spec.kind = TileSpec::Kind::Rectangle;
      add(yaml_.required(node, "from", "tiles"));
      add(yaml_.required(node, "to", "tiles"));
      if (spec.tiles[0].x > spec.tiles[1].x || spec.tiles[0].y > spec.tiles[1].y)
        yaml_.fail(node, "'from' must be left of and above 'to'");
    } else {
      yaml_.check_sequence(node, "tiles");
      if (node.size() == 0) yaml_.fail(node, "tiles is empty");
      spec.kind = TileSpec::Kind::List;
      for (const auto& tile : node) {
        add(tile);
        const auto last = spec.tiles.end() - 1;
        if (std::find(spec.tiles.begin(), last, *last) != last)
          yaml_.fail(tile, fmt::format("tile [{}, {}] appears twice", last->x, last->y));
      }
    }
  }

  void read_kernels(const YAML::Node& node, PartSpec& part) {
    yaml_.check_keys(node, "kernels", core_names());
    if (node.size() == 0) yaml_.fail(node, "kernels is empty: nothing would run");
    for (unsigned core = 0; core < kCores; ++core) {
      const YAML::Node child = node[core_names()[core]];
      if (!child) continue;
      KernelSpec kernel;
      kernel.mark = YamlReader::mark_of(child);
      if (child.IsMap()) {
        yaml_.check_keys(child, "a kernel", {"raw", "source", "flags"});
        read_kernel(child, kernel);
      } else {
        kernel.path = path(child, "a kernel");
        if (kernel.path.ends_with(".c"))
          yaml_.fail(child, fmt::format("'{}' is C: write {{source: {}}} to have it compiled",
                                        child.Scalar(), child.Scalar()));
      }
      part.kernels[core] = std::move(kernel);
    }
  }

  void read_kernel(const YAML::Node& node, KernelSpec& kernel) {
    if (bool{node["raw"]} == bool{node["source"]})
      yaml_.fail(node, "a kernel needs one of 'raw' and 'source'");
    kernel.raw = bool{node["raw"]};
    if (kernel.raw)
      kernel.path = path(node["raw"], "raw");
    else
      kernel.source = path(node["source"], "source");
    const YAML::Node flags = node["flags"];
    if (!flags) return;
    if (kernel.raw) yaml_.fail(flags, "'flags' are for a source");
    yaml_.check_sequence(flags, "flags");
    for (const auto& flag : flags) kernel.flags.push_back(yaml_.text(flag, "a flag"));
  }

  void read_circular_buffer(const YAML::Node& node) {
    const std::string what = "a circular buffer";
    yaml_.check_keys(node, what, {"index", "page_size", "pages", "format"});
    CircularBufferSpec spec;
    spec.mark = YamlReader::mark_of(node);
    const YAML::Node index = yaml_.required(node, "index", what);
    spec.index = static_cast<u32>(yaml_.integer(index, "index", 0, kMaxCircularBuffers - 1));
    for (const CircularBufferSpec& other : program_.circular_buffers)
      if (other.index == spec.index)
        yaml_.fail(index, fmt::format("circular buffer {} appears twice", spec.index));
    const YAML::Node size = yaml_.required(node, "page_size", what);
    spec.page_size = static_cast<u32>(yaml_.integer(size, "page_size", 16, kL1Size));
    if (spec.page_size % 16 != 0)
      yaml_.fail(size, "page_size must be a multiple of 16: TRISCs count in 16 bytes");
    const YAML::Node pages = yaml_.required(node, "pages", what);
    spec.pages = static_cast<u32>(yaml_.integer(pages, "pages", 1, 0xFFFF));
    if (const auto format = node["format"]) spec.format = dtype(format, "format");
    program_.circular_buffers.push_back(spec);
  }

  void read_semaphore(const YAML::Node& node) {
    yaml_.check_keys(node, "a semaphore", {"index", "initial"});
    SemaphoreSpec spec;
    spec.mark = YamlReader::mark_of(node);
    const YAML::Node index = yaml_.required(node, "index", "a semaphore");
    spec.index = static_cast<u32>(yaml_.integer(index, "index", 0, kMaxSemaphores - 1));
    for (const SemaphoreSpec& other : program_.semaphores)
      if (other.index == spec.index)
        yaml_.fail(index, fmt::format("semaphore {} appears twice", spec.index));
    if (const auto initial = node["initial"])
      spec.initial = static_cast<u32>(yaml_.integer(initial, "initial", 0, kMaxWord));
    program_.semaphores.push_back(spec);
  }

  DType dtype(const YAML::Node& node, const std::string& what) const {
    const std::string name = yaml_.text(node, what);
    const auto found = dtype_named(name);
    if (!found)
      yaml_.fail(node, fmt::format("{} '{}' is unknown (known: {})", what, name, dtype_names()));
    return *found;
  }

  void read_tensors(const YAML::Node& node) {
    if (!node.IsMap()) yaml_.fail(node, "tensors must be a mapping from names");
    for (const auto& item : node) {
      const std::string name = yaml_.text(item.first, "a tensor's name");
      const bool word = std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
      });
      if (!word || std::isdigit(static_cast<unsigned char>(name[0])) != 0)
        yaml_.fail(item.first,
                   fmt::format("a tensor cannot be called '{}': letters, digits and _", name));
      for (const char* reserved : {"tensor", "tile", "split", "dram", "cb"})
        if (name == reserved)
          yaml_.fail(item.first, fmt::format("a tensor cannot be called '{}'", name));
      if (program_.tensor(name) != nullptr)
        yaml_.fail(item.first, fmt::format("tensor '{}' appears twice", name));
      program_.tensors.push_back(read_tensor(name, item.second));
    }
  }

  TensorSpec read_tensor(const std::string& name, const YAML::Node& node) {
    const std::string what = fmt::format("tensor '{}'", name);
    yaml_.check_keys(node, what,
                     {"file", "generate", "like", "dtype", "layout", "memory", "page_size", "save",
                      "expect", "tolerance", "relative_tolerance"});
    TensorSpec spec;
    const auto given =
        int{bool{node["file"]}} + int{bool{node["generate"]}} + int{bool{node["like"]}};
    if (given != 1) yaml_.fail(node, what + " needs exactly one of 'file', 'generate' and 'like'");
    if (const auto like = node["like"]) {
      const std::string model = yaml_.text(like, "like");
      const TensorSpec* other = program_.tensor(model);
      if (other == nullptr)
        yaml_.fail(like, fmt::format("no tensor before this one is called '{}'", model));
      spec.dtype = other->dtype;
      spec.layout = other->layout;
      spec.memory = other->memory;
      spec.page_size = other->page_size;
      spec.source = LikeSource{model};
    } else if (const auto file = node["file"]) {
      spec.source = FileSource{path(file, "file")};
    } else {
      spec.source = read_generate(node["generate"]);
    }
    spec.name = name;
    spec.mark = YamlReader::mark_of(node);
    if (const auto child = node["dtype"])
      spec.dtype = dtype(child, "dtype");
    else if (!node["like"])
      yaml_.fail(node, what + " lacks 'dtype'");
    if (const auto child = node["layout"])
      spec.layout = static_cast<Layout>(yaml_.choice(child, "layout", kLayoutNames));
    if (const auto child = node["memory"])
      spec.memory = static_cast<TensorMemory>(yaml_.choice(child, "memory", kMemoryNames));
    if (const auto child = node["page_size"])
      spec.page_size = static_cast<u32>(yaml_.integer(child, "page_size", 1, kL1Size));
    if (const auto child = node["save"]) spec.save = path(child, "save");
    if (const auto child = node["tolerance"]) {
      spec.tolerance.absolute = yaml_.real(child, "tolerance");
      if (spec.tolerance.absolute < 0) yaml_.fail(child, "tolerance must not be negative");
    }
    if (const auto child = node["relative_tolerance"]) {
      spec.tolerance.relative = yaml_.real(child, "relative_tolerance");
      if (spec.tolerance.relative < 0) yaml_.fail(child, "relative_tolerance must not be negative");
    }
    if (const auto child = node["expect"]) spec.expect = read_expectation(child);
    return spec;
  }

  GeneratedSource read_generate(const YAML::Node& node) {
    yaml_.check_keys(node, "generate",
                     {"shape", "pattern", "seed", "start", "step", "value", "low", "high"});
    GeneratedSource source;
    const YAML::Node shape = yaml_.required(node, "shape", "generate");
    yaml_.check_sequence(shape, "shape");
    u64 elements = 1;
    for (const auto& dimension : shape) {
      source.shape.push_back(yaml_.integer(dimension, "a dimension", 1, kMaxDimension));
      if (elements > kMaxElements / source.shape.back()) yaml_.fail(shape, "shape is too large");
      elements *= source.shape.back();
    }
    if (source.shape.empty()) yaml_.fail(shape, "shape is empty");
    const YAML::Node pattern = yaml_.required(node, "pattern", "generate");
    source.pattern =
        static_cast<GeneratedSource::Pattern>(yaml_.choice(pattern, "pattern", kPatternNames));
    const auto number = [&](const char* key, double& value) {
      if (const auto child = node[key]) value = yaml_.real(child, key);
    };
    if (const auto seed = node["seed"]) source.seed = yaml_.integer(seed, "seed", 0, ~u64{0});
    number("start", source.start);
    number("value", source.start);
    number("low", source.start);
    if (source.pattern == GeneratedSource::Pattern::Random) source.step = 0;
    number("step", source.step);
    number("high", source.end);
    if (source.pattern == GeneratedSource::Pattern::Random && source.end <= source.start)
      yaml_.fail(node, "'high' must be above 'low'");
    if (source.pattern == GeneratedSource::Pattern::Random && source.step < 0)
      yaml_.fail(node, "'step' must not be negative");
    return source;
  }

  TensorExpectation read_expectation(const YAML::Node& node) {
    yaml_.check_keys(node, "expect", {"expression", "file", "rounding"});
    TensorExpectation result;
    result.mark = YamlReader::mark_of(node);
    if (bool{node["expression"]} == bool{node["file"]})
      yaml_.fail(node, "expect needs one of 'expression' and 'file'");
    if (const auto child = node["expression"]) {
      ArgumentSpec expression = yaml_.expression(child, "expression");
      result.text = expression.text;
      result.mark = expression.mark;
      result.source = std::move(expression.expression);
    } else {
      const std::string file = path(node["file"], "file");
      result.text = file;
      result.source = FileSource{file};
    }
    if (const auto child = node["rounding"])
      result.rounding = static_cast<Rounding>(yaml_.choice(child, "rounding", kRoundingNames));
    return result;
  }

  void read_arguments(const YAML::Node& node, const char* what, const PartSpec& part,
                      std::array<std::vector<ArgumentSpec>, kCores>& target) {
    yaml_.check_keys(node, what, core_names());
    for (unsigned core = 0; core < kCores; ++core) {
      const YAML::Node list = node[core_names()[core]];
      if (!list) continue;
      yaml_.check_sequence(list, what);
      if (!part.kernels[core])
        yaml_.fail(list, fmt::format("{} for {}, which has no kernel", what, core_names()[core]));
      if (list.size() > kMaxArguments)
        yaml_.fail(list, fmt::format("more than {} arguments", kMaxArguments));
      for (const auto& item : list) target[core].push_back(yaml_.expression(item, "argument"));
    }
  }

  void read_word_expectation(const YAML::Node& node) {
    yaml_.check_keys(node, "expect", {"tile", "address", "value"});
    WordExpectation result;
    result.mark = YamlReader::mark_of(node);
    if (const auto tile = node["tile"]) {
      const bool all = tile.IsScalar() && yaml_.choice(tile, "tile", {"all"}) == 0;
      if (!all) result.tile = yaml_.tile(tile);
    }
    const YAML::Node address = yaml_.required(node, "address", "expect");
    result.address = static_cast<u32>(yaml_.integer(address, "address", 0, kL1Size - 4));
    if (result.address % 4 != 0) yaml_.fail(address, "address must be a multiple of 4");
    result.value = yaml_.expression(yaml_.required(node, "value", "expect"), "value");
    program_.expect.push_back(std::move(result));
  }

  YamlReader yaml_;
  YAML::Node root_;
  Program program_;
};

}  // namespace

const char* name_of(TensorMemory memory) {
  return kMemoryNames[static_cast<size_t>(memory)].c_str();
}

const TensorSpec* Program::tensor(const std::string& name) const {
  for (const TensorSpec& spec : tensors)
    if (spec.name == name) return &spec;
  return nullptr;
}

std::optional<BoardModel> board_named(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "p100a") return BoardModel::P100A;
  if (lower == "p150") return BoardModel::P150;
  return std::nullopt;
}

Program parse_program(const std::string& path, const std::string& text) {
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root || root.IsNull()) throw InputError(path, "1:1", "the file is empty");
    return ProgramReader(path, root).read();
  } catch (const YAML::Exception& error) {
    const Mark mark = {static_cast<u32>(error.mark.line + 1),
                       static_cast<u32>(error.mark.column + 1)};
    throw InputError(path, text_of(mark), error.msg);
  }
}

Program load_program(const std::string& path) {
  const std::vector<u8> bytes = read_file(path);
  return parse_program(path, {bytes.begin(), bytes.end()});
}

}  // namespace bhemu::host
