#include "host/boot/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <mutex>
#include <unordered_map>

#include "host/boot/prepared.hpp"
#include "host/error.hpp"
#include "tile/tile.hpp"
#include "trace/observer.hpp"

namespace bhemu::host {
namespace {

constexpr const char* kSection = ".bhemu.notes";
constexpr u32 kMostOperands = 6;

constexpr const char* kRegisters[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                      "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                      "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                      "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

class Reader {
 public:
  Reader(const std::string& name, std::vector<u8> bytes) : name_(name), bytes_(std::move(bytes)) {}

  bool at_end() const { return next_ >= bytes_.size(); }
  void align() { next_ = std::min((next_ + 3) & ~size_t{3}, bytes_.size()); }
  u32 word() {
    u32 value = 0;
    if (bytes_.size() - next_ < sizeof value) damaged();
    std::memcpy(&value, &bytes_[next_], sizeof value);
    next_ += sizeof value;
    return value;
  }
  std::string text() {
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(next_);
    const auto end = std::find(begin, bytes_.end(), u8{0});
    if (end == bytes_.end()) damaged();
    next_ = static_cast<size_t>(end - bytes_.begin()) + 1;
    return {begin, end};
  }
  [[noreturn]] void damaged() const {
    throw InputError(name_, kSection, "the notes of PRINT and ASSERT are damaged");
  }

 private:
  const std::string& name_;
  std::vector<u8> bytes_;
  size_t next_ = 0;
};

KernelNote::Operand operand_of(const std::string& text, const Reader& reader) {
  for (u32 i = 0; i < std::size(kRegisters); ++i)
    if (text == kRegisters[i] || text == fmt::format("x{}", i)) return {true, i};
  if (text == "fp") return {true, 8};
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 0);
  if (text.empty() || *end != 0) reader.damaged();
  return {false, static_cast<u32>(value)};
}

std::string value_text(const std::string& format, u32 value) {
  if (format == "d") return fmt::format("{}", static_cast<i32>(value));
  if (format == "x") return fmt::format("{:#x}", value);
  if (format == "f") return fmt::format("{}", std::bit_cast<float>(value));
  if (format == "b") return fmt::format("{}", std::bit_cast<float>(value << 16));
  return fmt::format("{}", value);
}

std::string text_of(const KernelNote& note, const std::array<u32, kMostOperands>& values) {
  std::string text;
  size_t used = 0;
  for (size_t at = 0; at < note.text.size(); ++at) {
    const size_t end = note.text[at] == '{' ? note.text.find('}', at) : std::string::npos;
    if (end == std::string::npos || used >= note.operands.size()) {
      text += note.text[at];
      continue;
    }
    const std::string inside = note.text.substr(at + 1, end - at - 1);
    text += value_text(inside.starts_with(':') ? inside.substr(1) : "", values[used++]);
    at = end;
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// The line of an ASSERT, where the source is still there.
std::string source_line(const KernelNote& note) {
  std::ifstream file(note.file);
  std::string line;
  for (u32 i = 0; i < note.line; ++i)
    if (!std::getline(file, line)) return "";
  const size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin);
}

}  // namespace

std::vector<KernelNote> notes_of(const Elf& elf) {
  std::vector<KernelNote> notes;
  Reader reader(elf.name(), elf.section(kSection));
  for (reader.align(); !reader.at_end(); reader.align()) {
    KernelNote note;
    const u32 kind = reader.word();
    if (kind > static_cast<u32>(KernelNote::Kind::CommonArgument)) reader.damaged();
    note.kind = static_cast<KernelNote::Kind>(kind);
    note.where = reader.word();
    note.line = reader.word();
    const u32 count = reader.word();
    if (count > kMostOperands) reader.damaged();
    note.file = reader.text();
    note.text = reader.text();
    for (u32 i = 0; i < count; ++i) note.operands.push_back(operand_of(reader.text(), reader));
    if (note.kind >= KernelNote::Kind::Argument && count == 1) note.number = note.operands[0].value;
    notes.push_back(std::move(note));
  }
  return notes;
}

struct NoteWatch::Shared {
  /// By core and the address at which the instruction runs.
  std::array<std::unordered_multimap<u32, KernelNote>, kCores> notes;
  std::mutex mutex;
  struct Line {
    Printed printed;
    NodeId node;
    u64 number;
  };
  std::vector<Line> lines;
};

class NoteWatch::Observer final : public trace::Observer {
 public:
  Observer(std::shared_ptr<Shared> shared, tile::Tile& tile, Coord where)
      : shared_(std::move(shared)), tile_(tile), where_(where) {
    last_.fill(~u64{0});
  }

  void executes(const trace::Instruction& one) override {
    const auto [begin, end] = shared_->notes[one.core].equal_range(one.author.pc);
    // One whose access has to wait is told of again each time it is tried.
    if (begin == end || last_[one.core] == one.step) return;
    last_[one.core] = one.step;
    for (auto note = begin; note != end; ++note) meet(one, note->second);
  }

 private:
  void meet(const trace::Instruction& one, const KernelNote& note) {
    std::array<u32, kMostOperands> values{};
    for (size_t i = 0; i < note.operands.size(); ++i) {
      const KernelNote::Operand& operand = note.operands[i];
      values[i] = operand.is_register ? one.state->x[operand.value] : operand.value;
    }
    if (note.kind == KernelNote::Kind::Print) {
      const std::lock_guard lock(shared_->mutex);
      shared_->lines.push_back(
          {{where_, static_cast<CoreId>(one.core), one.author.cycle, text_of(note, values)},
           tile_.id(),
           number_++});
    } else if (note.kind == KernelNote::Kind::Assert && values[0] == 0 &&
               !tile_.faults().stopped()) {
      const std::string line = source_line(note);
      tile_.faults().raise(
          Rule::KernelAssert, one.author,
          fmt::format("{} at {}:{} does not hold", line.empty() ? "the ASSERT" : "'" + line + "'",
                      note.file, note.line));
    }
  }

  std::shared_ptr<Shared> shared_;
  tile::Tile& tile_;
  Coord where_;
  std::array<u64, kCores> last_{};
  u64 number_ = 0;
};

NoteWatch::NoteWatch(Device& device, const PreparedPart& part, const Firmware& firmware,
                     Printer printer)
    : device_(device), printer_(std::move(printer)), shared_(std::make_shared<Shared>()) {
  bool any = false;
  for (unsigned core = 0; core < kCores; ++core) {
    const auto& kernel = part.launch.kernels[core];
    if (!kernel || kernel->elf == nullptr) continue;
    const u32 base = firmware.kernel_config_base() + part.offsets.text[core];
    for (KernelNote& note : notes_of(*kernel->elf)) {
      if (note.kind > KernelNote::Kind::Assert) continue;
      any = true;
      // tt-metal links each kernel for where its firmware jumps to; what counts is the distance.
      const u32 pc = note.where - kernel->link_base + base;
      shared_->notes[core].emplace(pc, std::move(note));
    }
  }
  if (!any) return;
  observation_ = device.observe([&](NodeId node) -> std::unique_ptr<trace::Observer> {
    tile::Tile* tile = device.tile_of(node);
    if (tile == nullptr || !tile->shape().is_tensix()) return nullptr;
    const Coord where = device.coord_of(node);
    if (std::find(part.tiles.begin(), part.tiles.end(), where) == part.tiles.end()) return nullptr;
    return std::make_unique<Observer>(shared_, *tile, where);
  });
}

NoteWatch::~NoteWatch() {
  flush();
  if (observation_ != 0) device_.stop_observing(observation_);
}

void NoteWatch::flush() {
  std::vector<Shared::Line> lines;
  std::swap(lines, shared_->lines);
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.printed.cycle, a.node, a.number) <
           std::tuple(b.printed.cycle, b.node, b.number);
  });
  if (printer_)
    for (const Shared::Line& line : lines) printer_(line.printed);
}

}  // namespace bhemu::host
