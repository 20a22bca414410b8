// monitor WORDS: what gdb has no words for. State of the chosen core's tile is shown, and none of
// it is changed by that.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "gdb/server.hpp"
#include "host/error.hpp"
#include "host/program/tensor.hpp"
#include "host/report/inspect.hpp"
#include "numeric/format_layout.hpp"
#include "tensix/dst/dst_access.hpp"
#include "tensix/state.hpp"
#include "tile/wait_text.hpp"
#include "watch/why.hpp"

namespace bhemu::gdb {
namespace {

constexpr const char* kHelp =
    "monitor cb                     circular buffers of the tile: pages, where, how full\n"
    "monitor sem                    semaphores and mutexes of the coprocessor\n"
    "monitor cores                  what each core and thread of the tile is doing\n"
    "monitor waits                  who waits for what on the whole chip, and the first cause\n"
    "monitor dst ROW [N [FORMAT]]   N rows of Dst: bf16 (default), fp16, fp32, int32, hex\n"
    "monitor srca|srcb ROW [N]      rows of the matrix unit's bank, as its cells\n"
    "monitor lreg N                 a register of the vector unit, 32 lanes\n"
    "monitor gpr THREAD             the 64 registers of a thread's scalar unit\n"
    "monitor config WORD [N]        configuration words of bank 0, then of bank 1\n"
    "monitor cycle                  the clock\n"
    "monitor why PLACE              who wrote it, and what it came from: 0x1000+64, dst:0, "
    "cfg:NAME\n"
    "monitor watch PLACE[:r|:rw]    tells at each stop who has written (read) it since\n"
    "monitor symbols                add-symbol-file lines for the ELFs that are known\n";

std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : command) {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

/// Throws InputError.
u32 number_of(const std::vector<std::string>& words, std::size_t index, u32 otherwise) {
  if (index >= words.size()) return otherwise;
  const std::string& word = words[index];
  u32 value = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size())
    throw host::InputError("", "", fmt::format("'{}' is no number", word));
  return value;
}

float float_of(u32 bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// A row of Dst from its cells; `low` are those of the low halves of 32-bit formats.
std::string dst_value(const std::string& format, u16 cell, u16 low) {
  if (format == "hex") return fmt::format("{:04x}", cell);
  if (format == "bf16") return fmt::format("{:.6g}", host::from_bf16(numeric::bf16_from_dst(cell)));
  if (format == "fp16") return fmt::format("{:.6g}", host::from_fp16(numeric::fp16_from_dst(cell)));
  const u32 word = numeric::fp32_from_dst(u32{cell} << 16 | low);
  if (format == "fp32") return fmt::format("{:.8g}", float_of(word));
  return fmt::format("{}", static_cast<i32>(word));
}

/// The device is read as the host does, which ends a tile's turn; afterwards it stands where it
/// stood.
class Undisturbed {
 public:
  explicit Undisturbed(tile::Tile* tile) : tile_(tile) {
    if (tile_ != nullptr) at_ = tile_->standing();
  }
  ~Undisturbed() {
    if (tile_ != nullptr) tile_->stand(at_);
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  tile::Tile* tile_;
  tile::Tile::Standing at_{};
};

}  // namespace

std::string Server::monitor(std::string_view command) {
  const std::vector<std::string> words = words_of(command);
  if (words.empty()) return kHelp;
  const std::string& what = words[0];
  const Undisturbed undisturbed(inside_);
  try {
    if (what == "help") return kHelp;
    if (what == "cycle") return fmt::format("{}\n", state_of(general_).cycle);
    if (what == "cb") return monitor_buffers();
    if (what == "sem") return monitor_sync();
    if (what == "cores") return monitor_cores();
    if (what == "waits") return options_.standstill ? options_.standstill() : "not known here\n";
    if (what == "why") return monitor_why(words);
    if (what == "watch") return monitor_watch(words);
    if (what == "symbols") {
      const std::string lines = symbol_lines();
      return lines.empty() ? "no ELF is known as a file\n" : lines;
    }
    const std::string text = monitor_registers(words);
    if (!text.empty()) return text;
    return fmt::format("there is no '{}'\n{}", what, kHelp);
  } catch (const host::InputError& error) {
    return fmt::format("{}\n", error.message());
  }
}

/// To remember slows the chip down several times, so it begins when somebody asks.
std::string Server::monitor_why(const std::vector<std::string>& words) {
  if (words.size() != 2) return "monitor why PLACE: 0x1000+64, dst:0, srca:3, cfg:NAME, cb:0 ...\n";
  const Coord coord = tiles_[general_.tile].coord;
  const watch::Question question = watch::parse_question(
      "monitor why", fmt::format("{}-{} {}", coord.x, coord.y, words[1]), device_->board());
  if (!writers_) {
    writers_ = std::make_unique<watch::WritersOfDevice>(*device_);
    return fmt::format(
        "From cycle {} on it is remembered who writes what: ask again later, or go back and on "
        "first.\n",
        state_of(general_).cycle);
  }
  return text_of(*device_, question, watch::why(*writers_, question), known_code());
}

/// gdb itself watches memory of cores only.
std::string Server::monitor_watch(const std::vector<std::string>& words) {
  if (words.size() > 2) return "monitor watch PLACE: 0x1000+64, dst:0, srca:3:rw, cfg:NAME, cb:0\n";
  if (words.size() == 1) {
    const std::string text = watched();
    return text.empty() ? "nothing has come\n" : text;
  }
  const Coord coord = tiles_[general_.tile].coord;
  std::vector<watch::Watch> watches;
  if (watchpoints_) watches = watchpoints_->watches();
  watches.push_back(watch::parse_watch(
      "monitor watch", fmt::format("{}-{}:{}", coord.x, coord.y, words[1]), device_->board()));
  watchpoints_.reset();
  watchpoints_ = std::make_unique<watch::Watchpoints>(*device_, std::move(watches));
  return fmt::format("Who accesses {} is told at the next stop.\n", words[1]);
}

/// Since the last time, the latest.
std::string Server::watched() {
  constexpr std::size_t kMost = 20;
  if (!watchpoints_) return "";
  const std::vector<watch::Hit> hits = watchpoints_->take();
  std::string text;
  if (hits.size() > kMost)
    text = fmt::format("{} accesses before these {}:\n", hits.size() - kMost, kMost);
  for (std::size_t i = hits.size() - std::min(hits.size(), kMost); i < hits.size(); ++i)
    text += text_of(*device_, *watchpoints_, hits[i], known_code());
  return text;
}

std::string Server::monitor_registers(const std::vector<std::string>& words) {
  constexpr u32 kRow = tensix::kRowDatums;
  const Coord coord = tiles_[general_.tile].coord;
  const bool is_dst = words[0] == "dst";
  const auto file = host::register_file_named(is_dst ? "dst16" : words[0]);
  if (!file) return "";
  const u32 first = number_of(words, 1, 0);
  u32 rows = number_of(words, 2, 1);
  u32 width = kRow;
  u32 at = first;
  if (*file == host::RegisterFile::LReg) width = tensix::kLanes;
  if (*file == host::RegisterFile::Gpr) at = first * (tensix::kGprs / kRow), rows = 4;
  if (*file == host::RegisterFile::Config || *file == host::RegisterFile::ThreadConfig) width = 1;
  const std::string format = is_dst ? (words.size() > 3 ? words[3] : "bf16") : "hex";
  const bool wide = format == "fp32" || format == "int32";
  if (is_dst && !wide && format != "bf16" && format != "fp16" && format != "hex")
    throw host::InputError("", "",
                           fmt::format("'{}' is none of bf16, fp16, fp32, int32, hex", format));
  if (rows > 1024) throw host::InputError("", "", "more than 1024 rows");
  const auto mapping =
      tensix::DstAccess::mapping_of(tiles_[general_.tile].tile->coprocessor().state());
  std::string text;
  for (u32 row = at; row < at + rows; ++row) {
    std::vector<u32> values(width);
    std::vector<u32> low(width);
    const u32 cell = is_dst ? (wide ? mapping.adj32(row) : mapping.row16(row)) : row;
    host::read_registers(*device_, coord, *file, u64{cell} * width, values);
    if (wide) host::read_registers(*device_, coord, *file, u64{cell + 8} * width, low);
    text += fmt::format("{:4}:", row);
    for (u32 i = 0; i < width; ++i)
      text +=
          " " + (is_dst ? dst_value(format, static_cast<u16>(values[i]), static_cast<u16>(low[i]))
                        : fmt::format("{:08x}", values[i]));
    text += "\n";
  }
  return text;
}

std::string Server::monitor_buffers() {
  std::string text;
  for (const host::CircularBuffer& buffer :
       host::circular_buffers(*device_, tiles_[general_.tile].coord))
    text += fmt::format("CB {:2}: {} of {} pages of {} bytes at 0x{:05x}; {} pushed, {} popped\n",
                        buffer.index, (buffer.received - buffer.acked) & 0xFFFF, buffer.pages,
                        buffer.page_size, buffer.address, buffer.received, buffer.acked);
  return text.empty() ? "no circular buffers\n" : text;
}

std::string Server::monitor_sync() const {
  const tensix::State& state = tiles_[general_.tile].tile->coprocessor().state();
  std::string text;
  for (u32 i = 0; i < tensix::kSemaphores; ++i)
    text += fmt::format("semaphore {}: {} of {}\n", i, state.sync.semaphore[i].value,
                        state.sync.semaphore[i].max);
  for (u32 i = 0; i < tensix::kMutexes; ++i)
    if (state.sync.mutex[i] != tensix::kNobody)
      text += fmt::format("mutex {}: held by thread {}\n", i, state.sync.mutex[i]);
  return text;
}

std::string Server::core_text(Place place) const {
  static constexpr const char* kNames[] = {"in reset",         "runs",    "waits",
                                           "sleeps in a loop", "stopped", "halted"};
  const tile::Tile& tile = *tiles_[place.tile].tile;
  const CoreId id = tile.shape().core[place.core];
  const tile::CoreStatus status = tile.status(id);
  std::string text = kNames[static_cast<unsigned>(status)];
  if (status == tile::CoreStatus::Blocked || status == tile::CoreStatus::Parked)
    text += fmt::format(" ({})", tile::what_of(tile.waiting(id)));
  return text;
}

std::string Server::monitor_cores() const {
  const tile::Tile& tile = *tiles_[general_.tile].tile;
  std::string text;
  for (unsigned core = 0; core < kCores; ++core)
    text += fmt::format("{:7} pc 0x{:05x}  {}\n", name_of(tile.shape().core[core]),
                        tile.core(tile.shape().core[core]).pc, core_text({general_.tile, core}));
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const Waits waits = tile.coprocessor().waiting(thread);
    text += fmt::format("thread {}           {}\n", thread,
                        waits.waiting
                            ? fmt::format("0x{:08x} waits for {}", waits.word, tile::what_of(waits))
                            : "does not wait");
  }
  return text;
}

}  // namespace bhemu::gdb
