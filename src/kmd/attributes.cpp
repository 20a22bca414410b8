// Files of sysfs and procfs (attribute.def).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "kmd/driver_impl.hpp"
#include "kmd/identity.hpp"

namespace bhemu::kmd {
namespace {

using card::Function;
using Text = std::optional<std::string>;

constexpr unsigned kMajor = 511;  // the first that Linux hands out to drivers without one

std::string bdf_of(unsigned ordinal) {
  return fmt::format("0000:{:02x}:00.0", bus_of(ordinal));
}

void replace(std::string& text, std::string_view what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.replace(at, what.size(), with);
}

std::string expand(std::string text, unsigned ordinal) {
  replace(text, "{card}", "{pci}/tenstorrent/tenstorrent!{n}");
  replace(text, "{hwmon}", "{pci}/hwmon/hwmon{h}");
  replace(text, "{pci}", "/sys/devices/pci0000:00/{bdf}");
  replace(text, "{bdf}", bdf_of(ordinal));
  replace(text, "{n}", std::to_string(ordinal));
  replace(text, "{slot}", std::to_string(bus_of(ordinal)));
  replace(text, "{h}", std::to_string(hwmon_of(ordinal)));
  return text;
}

const char* name_of_card(u32 type) {
  switch (type) {  // tt-kmd telemetry.c, tt_sysfs_show_card_type
    case 0x40:
      return "p150a";
    case 0x43:
      return "p100a";
    default:
      return "unknown";
  }
}

/// What the rows are expressions over.
class Source {
 public:
  Source(Firmware& firmware, std::array<u32, card::ConfigSpace::kBytes / 4> words, unsigned ordinal,
         size_t files)
      : firmware_(firmware), words_(words), ordinal_(ordinal), files_(files) {}

  Text line(const std::string& text) const { return text + "\n"; }
  Text decimal(u32 tag) const { return scaled(tag, 1); }
  Text scaled(u32 tag, u64 factor) const {
    const auto value = firmware_.telemetry(tag);
    return value ? line(std::to_string(*value * factor)) : std::nullopt;
  }
  Text upper_half(u32 tag) const {
    const auto value = firmware_.telemetry(tag);
    return value ? line(std::to_string(*value >> 16)) : std::nullopt;
  }
  /// 16.16 fixed point degrees, as thousandths.
  Text temperature(u32 tag) const {
    const auto value = firmware_.telemetry(tag);
    return value ? line(std::to_string(u64{*value} * 1000 >> 16)) : std::nullopt;
  }
  Text hex64(u32 tag) const {
    const auto high = firmware_.telemetry(tag);
    const auto low = firmware_.telemetry(tag + 1);
    return high && low ? Text(fmt::format("{:08X}{:08X}\n", *high, *low)) : std::nullopt;
  }
  Text version(u32 tag) const {
    const auto value = firmware_.telemetry(tag);
    if (!value) return std::nullopt;
    return fmt::format("{}.{}.{}.{}\n", *value >> 24, *value >> 16 & 0xFF, *value >> 8 & 0xFF,
                       *value & 0xFF);
  }
  Text card_type() const {
    const auto high = firmware_.telemetry(1);
    return high ? line(name_of_card(*high >> 4 & 0xFFFF)) : std::nullopt;
  }

  Text driver_version() const {
    return fmt::format("{}.{}.{}\n", kVersion.major, kVersion.minor, kVersion.patch);
  }
  Text device_number() const { return fmt::format("{}:{}\n", kMajor, ordinal_); }
  Text card_event() const {
    return fmt::format("MAJOR={}\nMINOR={}\nDEVNAME=tenstorrent/{}\n", kMajor, ordinal_, ordinal_);
  }
  Text pids() const {
    std::string text;
    for (size_t i = 0; i < files_; ++i) text += fmt::format("{}\n", getpid());
    return text;
  }

  Text config(u32 offset, u32 bytes) const {
    return fmt::format("0x{:0{}x}\n", config_value(offset, bytes), bytes * 2);
  }
  Text config_space() const {
    std::string text(kConfigBytes, '\0');
    for (u32 i = 0; i < card::ConfigSpace::kBytes; ++i)
      text[i] = static_cast<char>(config_value(i, 1));
    return text;
  }
  /// 13 lines: six BARs, the ROM, six that only other kinds of function have.
  Text resources() const {
    constexpr u64 kBytes[13] = {Function::kBar0Bytes, 0, Function::kBar2Bytes, 0,
                                Function::kBar4Bytes};
    constexpr u64 kFlags = 0x14220C;  // memory, prefetchable, 64 bits wide
    std::string text;
    for (u32 bar = 0; bar < 13; ++bar) {
      const u64 base = kBytes[bar] == 0 ? 0 : bar_base(bar);
      text +=
          fmt::format("0x{:016x} 0x{:016x} 0x{:016x}\n", base,
                      kBytes[bar] == 0 ? 0 : base + kBytes[bar] - 1, kBytes[bar] == 0 ? 0 : kFlags);
    }
    return text;
  }
  Text pci_event() const {
    return fmt::format(
        "DRIVER=tenstorrent\nPCI_CLASS={:X}\nPCI_ID={:04X}:{:04X}\nPCI_SUBSYS_ID={:04X}:{:04X}\n"
        "PCI_SLOT_NAME={}\n",
        config_value(9, 3), config_value(0, 2), config_value(2, 2), config_value(0x2C, 2),
        config_value(0x2E, 2), bdf_of(ordinal_));
  }
  /// Without the function: a slot takes a card, not a function of one.
  Text slot_address() const {
    const std::string bdf = bdf_of(ordinal_);
    return line(bdf.substr(0, bdf.rfind('.')));
  }
  Text cpus() const {
    const unsigned count = std::max(1u, std::thread::hardware_concurrency());
    return line(count == 1 ? "0" : fmt::format("0-{}", count - 1));
  }

 private:
  u32 config_value(u32 offset, u32 bytes) const {
    u32 value = 0;
    for (u32 i = 0; i < bytes; ++i)
      value |= (words_[(offset + i) / 4] >> ((offset + i) % 4 * 8) & 0xFF) << (8 * i);
    return value;
  }
  u64 bar_base(u32 bar) const {
    const u32 at = 4 + bar;
    return u64{words_[at + 1]} << 32 | (words_[at] & ~0xFu);
  }

  Firmware& firmware_;
  std::array<u32, card::ConfigSpace::kBytes / 4> words_;
  unsigned ordinal_;
  size_t files_;
};

struct Row {
  const char* path;
  Text (*make)(const Source& source);  // null: a link
  const char* target;
};
constexpr Row kRows[] = {
#define ATTRIBUTE(path, value, meaning) \
  {path, [](const Source& source) -> Text { return source.value; }, nullptr},
#define LINK(path, target, meaning) {path, nullptr, target},
#include "kmd/attribute.def"
#undef ATTRIBUTE
#undef LINK
};

/// Of an absolute path, without its "..".
std::string normal(const std::string& path) {
  std::vector<std::string> parts;
  for (size_t at = 1; at <= path.size();) {
    const size_t slash = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, slash - at);
    if (part == ".." && !parts.empty()) {
      parts.pop_back();
    } else if (!part.empty() && part != "." && part != "..") {
      parts.push_back(part);
    }
    at = slash + 1;
  }
  std::string text;
  for (const std::string& part : parts) text += "/" + part;
  return text;
}

/// The same file without a link among its folders; the link itself stays.
std::string resolved(std::string path, unsigned ordinal) {
  constexpr int kMostLinks = 8;
  for (int turn = 0; turn < kMostLinks; ++turn) {
    bool changed = false;
    for (const Row& row : kRows) {
      if (row.target == nullptr) continue;
      const std::string link = expand(row.path, ordinal);
      if (!path.starts_with(link + "/")) continue;
      const std::string folder = link.substr(0, link.rfind('/'));
      path = normal(folder + "/" + expand(row.target, ordinal) + path.substr(link.size()));
      changed = true;
    }
    if (!changed) break;
  }
  return path;
}

Source source_of(const Driver::Impl& driver) {
  std::array<u32, card::ConfigSpace::kBytes / 4> words{};
  {
    const LiveCard::Visit visit(driver.card, false);
    for (u32 i = 0; i < words.size(); ++i) words[i] = visit.function().config_read(i * 4);
  }
  return {driver.firmware, words, driver.ordinal, driver.files.size()};
}

Text contents(const Row& row, const Source& source, unsigned ordinal) {
  return row.target != nullptr ? Text(expand(row.target, ordinal)) : row.make(source);
}

}  // namespace

std::vector<Attribute> Driver::attributes() const {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  const Source source = source_of(*impl_);
  std::vector<Attribute> all;
  for (const Row& row : kRows)
    if (const Text text = contents(row, source, impl_->ordinal))
      all.push_back({expand(row.path, impl_->ordinal), *text, row.target != nullptr});
  return all;
}

std::optional<Attribute> Driver::attribute(const std::string& path) const {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  const std::string wanted = resolved(normal(path), impl_->ordinal);
  for (const Row& row : kRows) {
    if (expand(row.path, impl_->ordinal) != wanted) continue;
    const Text text = contents(row, source_of(*impl_), impl_->ordinal);
    if (text) return Attribute{wanted, *text, row.target != nullptr};
  }
  return std::nullopt;
}

}  // namespace bhemu::kmd
