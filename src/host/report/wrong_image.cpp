#include "host/report/wrong_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/bits.hpp"
#include "host/report/situation.hpp"
#include "tensix/isa.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

namespace op = tensix::op;

std::string lower(std::string text) {
  for (char& each : text) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return text;
}

const char* name(unsigned core) {
  return name_of(agent_of(static_cast<CoreId>(core)));
}

/// The core that a file is named after ("kernels/trisc1.elf"), as builds name them.
std::optional<unsigned> core_named(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  for (unsigned core = 0; core < kCores; ++core)
    if (lower(file) == lower(name(core)) + ".elf") return core;
  return std::nullopt;
}

/// 0 to 2: what kernels of TRISC0 (unpack), TRISC1 (math) and TRISC2 (pack) do.
std::optional<unsigned> role_of(u32 word) {
  switch (tensix::opcode_of(word)) {
    case op::UNPACR::kOpcode:
      return 0;
    case op::MVMUL::kOpcode:
    case op::ELWADD::kOpcode:
    case op::ELWSUB::kOpcode:
    case op::ELWMUL::kOpcode:
    case op::MOVA2D::kOpcode:
    case op::MOVB2D::kOpcode:
    case op::GMPOOL::kOpcode:
    case op::GAPOOL::kOpcode:
      return 1;
    case op::PACR::kOpcode:
      return 2;
    default:
      return std::nullopt;
  }
}

class Judge {
 public:
  Judge(tile::Tile& tile, Coord coord, const CodeMap& code)
      : tile_(tile), coord_(coord), code_(code), launch_(launch_of(tile, 0)) {}

  std::optional<WrongImage> judge() const {
    if (!launch_.valid) return std::nullopt;
    if (auto found = by_names()) return found;
    if (auto found = by_roles()) return found;
    return by_link();
  }

 private:
  static constexpr const char* kRemedy =
      "give each core the kernel that was compiled for it: it knows its core's variables, its "
      "thread and its part of the work";

  bool runs(unsigned core) const { return bit(launch_.enables, core); }
  const CodeMap::Entry* entry_of(unsigned core) const {
    for (const CodeMap::Entry& entry : code_.entries())
      if (entry.core == static_cast<CoreId>(core) &&
          launch_.text[core] - entry.run_base < entry.bytes &&
          (!entry.tile || *entry.tile == coord_))
        return &entry;
    return nullptr;
  }
  std::string of_tile() const { return fmt::format("of ({}, {})", coord_.x, coord_.y); }

  std::optional<WrongImage> by_names() const {
    std::string text;
    for (unsigned core = 0; core < kCores; ++core) {
      const CodeMap::Entry* entry = runs(core) ? entry_of(core) : nullptr;
      const auto named = entry == nullptr ? std::nullopt : core_named(entry->elf->name());
      if (named && *named != core)
        text += fmt::format("{}{} {} runs {}", text.empty() ? "" : ", and ", name(core), of_tile(),
                            entry->elf->name());
    }
    if (text.empty()) return std::nullopt;
    return WrongImage{text + ", a kernel of another core by its name", kRemedy};
  }

  std::optional<WrongImage> by_roles() const {
    constexpr const char* kWork[] = {"unpacks", "computes", "packs"};
    std::string text;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const unsigned core = index_of(CoreId::Trisc0) + thread;
      if (!runs(core)) continue;
      const auto& words = tile_.coprocessor().state().frontend[thread].mop_config;
      std::optional<u32> other;
      bool own = false;
      // The first two are counts.
      for (std::size_t i = 2; i < words.size(); ++i) {
        const auto role = role_of(words[i]);
        own |= role == thread;
        if (role && *role != thread) other = words[i];
      }
      if (own || !other) continue;
      text += fmt::format("{}{} {} {} (its MOP has {})", text.empty() ? "" : ", and ", name(core),
                          of_tile(), kWork[*role_of(*other)], tensix::info_of_word(*other).name);
    }
    if (text.empty()) return std::nullopt;
    return WrongImage{
        text + ", where kernels of TRISC0 unpack, those of TRISC1 compute and those of TRISC2 pack",
        kRemedy};
  }

  std::optional<WrongImage> by_link() const {
    for (unsigned core = 0; core < kCores; ++core) {
      const CodeMap::Entry* entry = runs(core) ? entry_of(core) : nullptr;
      if (entry == nullptr || !entry->as_linked || entry->link_base == 0 ||
          entry->link_base == entry->run_base)
        continue;
      return WrongImage{
          fmt::format("{}'s kernel {} ({}) was linked for {:#x} and lies at {:#x}, so that what it "
                      "addresses absolutely is elsewhere",
                      name(core), of_tile(), entry->elf->name(), entry->link_base, entry->run_base),
          "link the kernel for address 0 and without absolute addresses (bhemu build does so), and "
          "give no firmware where a kernel is wanted"};
    }
    return std::nullopt;
  }

  tile::Tile& tile_;
  Coord coord_;
  const CodeMap& code_;
  LaunchView launch_;
};

}  // namespace

std::optional<WrongImage> wrong_image(Device& device, Coord coord, const CodeMap& code) {
  const NodeId node = device.board().node_at_translated(coord);
  tile::Tile* const tile = node == kNoNode ? nullptr : device.tile_of(node);
  if (tile == nullptr || !tile->shape().is_tensix()) return std::nullopt;
  return Judge(*tile, coord, code).judge();
}

}  // namespace bhemu::host
