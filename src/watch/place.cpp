#include "watch/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <utility>

#include "host/error.hpp"
#include "host/suggest.hpp"
#include "tensix/config.hpp"
#include "tensix/state.hpp"

namespace bhemu::watch {
namespace {

using host::InputError;
using tensix::Space;

constexpr u32 kWordBits = 32;

/// Stream registers in which a circular buffer's pages are counted (noc/stream.def).
constexpr u32 kAckedRegister = 8;
constexpr u32 kReceivedRegister = 10;

std::optional<Area> area_of(Space space) {
  switch (space) {
    case Space::L1:
      return Area::Memory;
    case Space::Config:
      return Area::Config;
    case Space::ThreadConfig:
      return Area::ThreadConfig;
    case Space::Dst:
      return Area::Dst;
    case Space::SrcA:
      return Area::SrcA;
    case Space::SrcB:
      return Area::SrcB;
    case Space::LReg:
      return Area::LReg;
    case Space::ConditionCode:
      return Area::ConditionCode;
    case Space::Gpr:
      return Area::Gpr;
    case Space::MopConfig:
      return Area::MopConfig;
    case Space::Replay:
      return Area::Replay;
    case Space::Mmio:
      return Area::Register;
    default:
      return std::nullopt;  // counters, and what the objects' own callbacks tell
  }
}

bool is_counted_in_bits(Area area) {
  return area == Area::Gpr || area == Area::Config || area == Area::ThreadConfig;
}

std::string range(const char* what, u64 begin, u64 size) {
  return size == 1 ? fmt::format("{} {}", what, begin)
                   : fmt::format("{}s {}..{}", what, begin, begin + size - 1);
}

/// "column 3", "columns 0..5".
std::string columns_text(u64 first, u64 count) {
  return range("column", first, count);
}

/// Whole rows, or one half of each of them: then the range begins and ends with that half. Or
/// datums of one half of a row.
std::string dst_text(const Place& place) {
  const u64 first = place.begin / kRowUnits;
  const std::string rows = range("Dst row", first, (place.end - 1) / kRowUnits - first + 1);
  if (place.begin % kRowUnits == place.end % kRowUnits) return rows;
  if (place.begin % kHalfUnits == 0 && place.end % kHalfUnits == 0)
    return rows + (place.begin % kRowUnits == 0 ? ", even columns" : ", odd columns");
  const u64 from = dst_cell_of(place.begin) % kRowUnits;
  if (place.size() == 1) return rows + ", " + columns_text(from, 1);
  if (place.begin / kHalfUnits != (place.end - 1) / kHalfUnits) return rows + ", in part";
  const u64 last = dst_cell_of(place.end - 1) % kRowUnits;
  return rows + fmt::format(", {} columns {}..{}", from % 2 == 0 ? "even" : "odd", from, last);
}

std::string source_text(const Place& place) {
  const u64 first = place.begin / kRowUnits;
  const u64 rows = (place.end - 1) / kRowUnits - first + 1;
  std::string text =
      range(place.area == Area::SrcA ? "SrcA row" : "SrcB row", first % tensix::kSrcRows, rows);
  if (place.begin % kRowUnits != 0 || place.end % kRowUnits != 0)
    text += ", " + (rows == 1 ? columns_text(place.begin % kRowUnits, place.size()) : "in part");
  return text + fmt::format(" of bank {}", first / tensix::kSrcRows);
}

std::string lanes_text(const Place& place) {
  const u64 first = place.begin / kLaneUnits;
  const u64 registers = (place.end - 1) / kLaneUnits - first + 1;
  const std::string text = range("LReg", first, registers);
  if (place.begin % kLaneUnits == 0 && place.end % kLaneUnits == 0) return text;
  if (registers != 1) return text + ", in part";
  return text + ", " + range("lane", place.begin % kLaneUnits, place.size());
}

std::string bits_text(const Place& place, Space space, u32 words_each) {
  const u64 first = place.begin / kWordBits;
  const u64 last = (place.end - 1) / kWordBits;
  if (space == Space::Gpr) {
    const std::string what = range("GPR", first % words_each, last - first + 1);
    return what + fmt::format(" of thread {}", first / words_each);
  }
  tensix::Touch touch{space, tensix::Access::Read, static_cast<u32>(first),
                      static_cast<u32>(last - first + 1)};
  const u32 low = static_cast<u32>(place.begin % kWordBits);
  if (first == last)
    touch.mask = (place.size() == kWordBits ? ~0u : (1u << place.size()) - 1) << low;
  // "read configuration ...": without the verb.
  const std::string text = tensix::describe(touch);
  return text.substr(text.find(' ') + 1);
}

}  // namespace

std::optional<Place> place_of(const tensix::Touch& touch) {
  const std::optional<Area> area = area_of(touch.space);
  if (!area) return std::nullopt;
  if (*area == Area::Dst || *area == Area::SrcA || *area == Area::SrcB)
    return Place{*area, u64{touch.begin} * kRowUnits, touch.end() * kRowUnits};
  if (*area == Area::LReg)
    return Place{*area, u64{touch.begin} * kLaneUnits, touch.end() * kLaneUnits};
  if (!is_counted_in_bits(*area)) return Place{*area, touch.begin, touch.end()};
  const u64 begin = u64{touch.begin} * kWordBits;
  if (touch.size != 1 || touch.mask == 0) return Place{*area, begin, touch.end() * kWordBits};
  return Place{*area, begin + static_cast<u32>(std::countr_zero(touch.mask)),
               begin + kWordBits - static_cast<u32>(std::countl_zero(touch.mask))};
}

std::string describe(const Place& place) {
  const u64 begin = place.begin;
  const u64 size = place.size();
  switch (place.area) {
    case Area::Memory:
      return fmt::format("memory [0x{:05x}, +{}]", begin, size);
    case Area::Ldm:
      return fmt::format("local memory [0x{:04x}, +{}] of {}", begin % kLdmStride, size,
                         name_of(static_cast<CoreId>(begin / kLdmStride)));
    case Area::Register:
      return fmt::format("register 0x{:08x}", begin);
    case Area::Dst:
      return dst_text(place);
    case Area::SrcA:
    case Area::SrcB:
      return source_text(place);
    case Area::LReg:
      return lanes_text(place);
    case Area::ConditionCode:
      return "lane flags";
    case Area::Gpr:
      return bits_text(place, Space::Gpr, tensix::kGprs);
    case Area::Config:
      return bits_text(place, Space::Config, tensix::kConfigWords);
    case Area::ThreadConfig:
      return bits_text(place, Space::ThreadConfig, tensix::kThreadConfigWords);
    case Area::MopConfig:
      return fmt::format("MOP configuration word {} of thread {}", begin % 10, begin / 10);
    case Area::Replay:
      return fmt::format("replay slot {} of thread {}", begin % 32, begin / 32);
    case Area::Semaphore:
      return range("semaphore", begin, size);
    case Area::Mutex:
      return range("mutex", begin, size);
    case Area::Mailbox:
      return fmt::format("mailbox {} to {}", begin / 4, begin % 4);
    case Area::PcBuf:
      return fmt::format("PCBuf of thread {}", begin);
    case Area::Stream: {
      const u64 reg = begin % 1024;
      if (reg == kReceivedRegister) return fmt::format("pages received in CB {}", begin / 1024);
      if (reg == kAckedRegister) return fmt::format("pages acknowledged in CB {}", begin / 1024);
      return fmt::format("stream {} register {}", begin / 1024, reg);
    }
  }
  return "?";
}

namespace {

/// A place that a user has written, taken apart at its colons.
class Reader {
 public:
  Reader(const std::string& setting, const std::string& text) : setting_(setting), text_(text) {
    std::string part;
    for (const char c : text + ":") {
      if (c == ':') {
        parts_.push_back(std::exchange(part, {}));
      } else if (c != ' ') {
        part += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
  }

  std::vector<Place> places();

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw InputError(setting_, "", fmt::format("'{}': {}", text_, what));
  }
  u64 number(const std::string& text) const {
    const bool hex = text.starts_with("0x");
    u64 value = 0;
    const char* const begin = text.data() + (hex ? 2 : 0);
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(begin, end, value, hex ? 16 : 10);
    if (read.ec != std::errc() || read.ptr != end || begin == end)
      wrong(fmt::format("'{}' is no number", text));
    return value;
  }
  /// A, A-B (B included) or A+N of units that lie in [0, limit).
  std::pair<u64, u64> range(const std::string& text, u64 limit, u64 usual = 1) const {
    const size_t dash = text.find('-');
    const size_t plus = text.find('+');
    const u64 first = number(text.substr(0, std::min(dash, plus)));
    u64 end = first + usual;
    if (dash != std::string::npos) end = number(text.substr(dash + 1)) + 1;
    if (plus != std::string::npos) end = first + number(text.substr(plus + 1));
    if (end <= first || end > limit)
      wrong(fmt::format("'{}' must be within 0..{}", text, limit - 1));
    return {first, end};
  }
  /// Part 1 is an index below `groups`, part 2 a range of its `each` units.
  Place grouped(Area area, u64 groups, u64 each, u64 scale = 1) const {
    if (parts_.size() != 3) wrong("two numbers are wanted, like " + parts_[0] + ":0:1");
    const u64 group = range(parts_[1], groups).first;
    const auto [begin, end] = range(parts_[2], each);
    return {area, (group * each + begin) * scale, (group * each + end) * scale};
  }
  Place simple(Area area, u64 limit, u64 usual = 1) const {
    if (parts_.size() != 2) wrong("one number or range is wanted, like " + parts_[0] + ":1");
    const auto [begin, end] = range(parts_[1], limit, usual);
    return {area, begin, end};
  }
  std::vector<Place> rows(Area area, u64 limit) const;
  std::vector<Place> source(Area area) const;
  std::vector<Place> config(bool of_thread) const;
  Place local_memory() const;

  const std::string& setting_;
  const std::string& text_;
  std::vector<std::string> parts_;
};

/// Part 1: rows of Dst, or LRegs; part 2: columns of each, or lanes.
std::vector<Place> Reader::rows(Area area, u64 limit) const {
  const u64 each = area == Area::LReg ? kLaneUnits : kRowUnits;
  if (parts_.size() != 2 && parts_.size() != 3)
    wrong("one or two numbers or ranges are wanted, like " + parts_[0] + ":1");
  const auto [begin, end] = range(parts_[1], limit);
  if (parts_.size() == 2) return {{area, begin * each, end * each}};
  const auto [first, last] = range(parts_[2], each);
  std::vector<u64> units;
  for (u64 row = begin; row < end; ++row)
    for (u64 cell = row * each + first; cell < row * each + last; ++cell)
      units.push_back(area == Area::Dst ? unit_of_dst(cell) : cell);
  std::sort(units.begin(), units.end());
  std::vector<Place> places;
  for (const u64 unit : units)
    if (!places.empty() && places.back().end == unit)
      ++places.back().end;
    else
      places.push_back({area, unit, unit + 1});
  return places;
}

std::vector<Place> Reader::source(Area area) const {
  if (parts_.size() == 4) {
    const u64 bank = range(parts_[1], tensix::kSrcBanks).first;
    const auto [begin, end] = range(parts_[2], tensix::kSrcRows);
    const auto [first, last] = range(parts_[3], kRowUnits);
    std::vector<Place> places;
    for (u64 row = bank * tensix::kSrcRows + begin; row < bank * tensix::kSrcRows + end; ++row)
      places.push_back({area, row * kRowUnits + first, row * kRowUnits + last});
    return places;
  }
  if (parts_.size() == 3) return {grouped(area, tensix::kSrcBanks, tensix::kSrcRows, kRowUnits)};
  Place place = simple(area, tensix::kSrcRows);
  place.begin *= kRowUnits;
  place.end *= kRowUnits;
  constexpr u64 kBank = u64{tensix::kSrcRows} * kRowUnits;
  return {place, {area, place.begin + kBank, place.end + kBank}};
}

std::vector<Place> Reader::config(bool of_thread) const {
  const Area area = of_thread ? Area::ThreadConfig : Area::Config;
  const u64 each = of_thread ? tensix::kThreadConfigWords : tensix::kConfigWords;
  if (parts_.size() == 3) return {grouped(area, of_thread ? kThreads : 2, each, kWordBits)};
  if (parts_.size() != 2) wrong("the name of a field is wanted");
  std::vector<Place> places;
  std::vector<std::string> known;
  const auto look = [&](const auto& fields) {
    for (const tensix::ConfigFieldInfo& field : fields) {
      std::string name = field.name;
      known.push_back(name);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      if (name != parts_[1]) continue;
      for (u64 bank = 0; bank < (of_thread ? kThreads : 2); ++bank) {
        const u64 begin = (bank * each + field.word) * kWordBits + field.low;
        places.push_back({area, begin, begin + field.width});
      }
    }
  };
  if (of_thread)
    look(tensix::kThreadConfigFields);
  else
    look(tensix::kConfigFields);
  if (places.empty()) {
    const size_t colon = text_.find(':');
    wrong("there is no such field" + host::suggestion(text_.substr(colon + 1), known));
  }
  return places;
}

Place Reader::local_memory() const {
  if (parts_.size() != 3) wrong("a core and an address are wanted, like ldm:trisc1:0x20");
  for (unsigned core = 0; core < kCores; ++core) {
    std::string name = name_of(static_cast<CoreId>(core));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name != parts_[1]) continue;
    const auto [begin, end] = range(parts_[2], kLdmStride, 4);
    return {Area::Ldm, core * kLdmStride + begin, core * kLdmStride + end};
  }
  wrong(fmt::format("'{}' is no core", parts_[1]));
}

// tidy: allow function-length: one line per area
std::vector<Place> Reader::places() {
  constexpr u64 kMemory = u64{1} << 40;
  const std::string& area = parts_[0];
  if (parts_.size() == 1) {
    parts_.insert(parts_.begin(), "l1");
    return {simple(Area::Memory, kMemory, 4)};
  }
  if (area == "l1" || area == "dram" || area == "memory") return {simple(Area::Memory, kMemory, 4)};
  if (area == "ldm") return {local_memory()};
  if (area == "reg") return {simple(Area::Register, u64{1} << 32, 4)};
  if (area == "dst") return rows(Area::Dst, tensix::kDstRows);
  if (area == "srca") return source(Area::SrcA);
  if (area == "srcb") return source(Area::SrcB);
  if (area == "lreg") return rows(Area::LReg, tensix::kLRegs);
  if (area == "gpr") return {grouped(Area::Gpr, kThreads, tensix::kGprs, kWordBits)};
  if (area == "cfg") return config(false);
  if (area == "tcfg") return config(true);
  if (area == "mop") return {grouped(Area::MopConfig, kThreads, 10)};
  if (area == "replay") return {grouped(Area::Replay, kThreads, tensix::kReplaySlots)};
  if (area == "sem") return {simple(Area::Semaphore, tensix::kSemaphores)};
  if (area == "mutex") return {simple(Area::Mutex, tensix::kMutexes)};
  if (area == "mailbox") return {grouped(Area::Mailbox, 4, 4)};
  if (area == "pcbuf") return {simple(Area::PcBuf, kThreads)};
  if (area == "stream") return {grouped(Area::Stream, 64, 1024)};
  if (area == "cb") {
    const u64 stream = simple(Area::Stream, 64).begin * 1024;
    return {{Area::Stream, stream + kReceivedRegister, stream + kReceivedRegister + 1},
            {Area::Stream, stream + kAckedRegister, stream + kAckedRegister + 1}};
  }
  wrong("there is no such space" +
        host::suggestion(
            area, {"l1", "ldm", "reg", "dst", "srca", "srcb", "lreg", "gpr", "cfg", "tcfg", "mop",
                   "replay", "sem", "mutex", "mailbox", "pcbuf", "stream", "cb"}));
}

}  // namespace

std::vector<Place> parse_places(const std::string& setting, const std::string& text) {
  return Reader(setting, text).places();
}

}  // namespace bhemu::watch
