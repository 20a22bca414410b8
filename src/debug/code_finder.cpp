#include "debug/code_finder.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include "base/bits.hpp"
#include "host/error.hpp"
#include "tile/tile.hpp"

namespace bhemu::debug {
namespace {

namespace fs = std::filesystem;

constexpr u32 kAround = 32;      // bytes before and after a pc that have to agree
constexpr u32 kLeastAround = 8;  // where code begins or ends
constexpr size_t kMostFiles = 20000;

u32 word_at(std::span<const u8> bytes, size_t at) {
  u32 word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

/// What of an instruction a move of the code leaves alone: all but the immediates of lui and auipc,
/// which also become each other, and of the instructions that take the low half of an address.
u32 unmoved(u32 word) {
  constexpr u32 kLui = 0x37;
  constexpr u32 kAuipc = 0x17;
  constexpr u32 kLoad = 0x03;
  constexpr u32 kStore = 0x23;
  constexpr u32 kAddi = 0x13;
  switch (bits(word, 0, 7)) {
    case kLui:
    case kAuipc:
      return (word & 0xF80) | kLui;
    case kLoad:
      return word & 0xFFFFF;
    case kAddi:
      return bits(word, 12, 3) == 0 ? word & 0xFFFFF : word;
    case kStore:
      return word & 0x1FFF07F;
    default:
      return word;
  }
}

std::vector<u8> contents_of(const fs::path& path) {
  std::error_code gone;
  const auto size = fs::file_size(path, gone);
  std::vector<u8> bytes(gone ? 0 : size);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

}  // namespace

/// One pc's search: offers segments, remembers the best.
class CodeFinder::Search {
 public:
  Search(const Code& code, bool moved) : code_(code), moved_(moved) {}

  const Match& best() const { return best_; }

  /// The bytes around the pc that are looked for; shorter when `around` is.
  std::span<const u8> window(u32 around) const {
    const u32 first = code_.pc - std::min(code_.pc, around);
    const u32 end = std::min<u32>(code_.pc + around, static_cast<u32>(code_.l1.size()));
    return std::span<const u8>(code_.l1).subspan(first, end - first);
  }

  /// How much of what is around the pc a file holds; 0: not enough.
  u32 held_by(std::span<const u8> file) const {
    for (u32 around = kAround; around >= kLeastAround; around /= 2) {
      const std::span<const u8> wanted = window(around);
      if (memmem(file.data(), file.size(), wanted.data(), wanted.size()) != nullptr) return around;
    }
    return 0;
  }

  void offer(const host::Elf& elf, u32 around) {
    const std::span<const u8> wanted = window(around);
    const u32 before = std::min(code_.pc, around);
    for (const host::Segment& segment : elf.segments()) {
      if (!segment.executable || segment.data.size() < wanted.size()) continue;
      for (size_t at = 0; at + wanted.size() <= segment.data.size(); at += 4)
        if (agrees(segment.data, at, wanted))
          take(elf, segment, code_.pc - before - static_cast<u32>(at));
    }
  }

 private:
  bool is_same(u32 a, u32 b) const { return moved_ ? unmoved(a) == unmoved(b) : a == b; }

  bool agrees(std::span<const u8> data, size_t at, std::span<const u8> wanted) const {
    for (size_t i = 0; i + 4 <= wanted.size(); i += 4)
      if (!is_same(word_at(data, at + i), word_at(wanted, i))) return false;
    return true;
  }

  void take(const host::Elf& elf, const host::Segment& segment, u32 run_base) {
    const u32 size = static_cast<u32>(segment.data.size() & ~size_t{3});
    const auto same = [&](u32 offset) {
      const u64 address = u64{run_base} + offset;
      return address + 4 <= code_.l1.size() &&
             is_same(word_at(code_.l1, address), word_at(segment.data, offset));
    };
    const u32 here = code_.pc - run_base;
    u32 first = here;
    while (first >= 4 && run_base + first >= 4 && same(first - 4)) first -= 4;
    u32 end = here;
    while (end + 4 <= size && same(end)) end += 4;
    const Match match{&elf, &segment, run_base, end - first, end - first == size};
    // Among equals one that is linked where it runs, then the one that was found first.
    const auto rank = [](const Match& found) {
      return u64{found.agrees} << 1 | (found.run_base == found.segment->virtual_address);
    };
    if (best_.elf == nullptr || rank(match) > rank(best_)) best_ = match;
  }

  const Code& code_;
  const bool moved_;
  Match best_;
};

CodeFinder::CodeFinder(const std::vector<std::string>& paths,
                       const std::vector<std::string>& caches) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error))
      folders_.push_back(path);
    else
      named_.push_back(std::make_unique<const host::Elf>(host::Elf::load(path)));
  }
  folders_.insert(folders_.end(), caches.begin(), caches.end());
}

CodeFinder::~CodeFinder() = default;

/// The youngest first: what runs was compiled last.
std::vector<fs::path> CodeFinder::files_in_folders() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const std::string& folder : folders_) {
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                        error);
    for (; !error && at != fs::recursive_directory_iterator() && files.size() < kMostFiles;
         at.increment(error)) {
      std::error_code gone;
      if (at->path().extension() == ".elf" && at->is_regular_file(gone))
        files.emplace_back(at->last_write_time(gone), at->path());
    }
    error.clear();
  }
  std::sort(files.begin(), files.end(), std::greater<>());
  std::vector<fs::path> paths;
  for (auto& file : files) paths.push_back(std::move(file.second));
  return paths;
}

const host::Elf* CodeFinder::load(const fs::path& path) {
  const auto known = loaded_.find(path.string());
  if (known != loaded_.end()) return known->second.get();
  std::unique_ptr<const host::Elf>& elf = loaded_[path.string()];
  try {
    elf = std::make_unique<const host::Elf>(host::Elf::load(path.string()));
  } catch (const host::InputError&) {  // something else that is called .elf
  }
  return elf.get();
}

CodeFinder::Match CodeFinder::find(const Code& code) {
  // Code may begin or end here: what is around it is only as long as it has to be.
  std::vector<u32> held;  // by file: how much of that is in it; each is read once
  for (const bool moved : {false, true}) {
    for (u32 around = kAround; around >= kLeastAround; around /= 2) {
      if (moved && around != kAround) break;
      Search search(code, moved);
      for (const auto& elf : named_) search.offer(*elf, around);
      if (search.best().elf != nullptr) return search.best();
      if (!files_) files_ = files_in_folders();
      for (size_t i = 0; i < files_->size(); ++i) {
        const fs::path& path = (*files_)[i];
        if (i == held.size()) held.push_back(search.held_by(contents_of(path)));
        if (!moved && held[i] < around) continue;
        if (const host::Elf* elf = load(path)) search.offer(*elf, around);
        if (search.best().whole) break;
      }
      if (search.best().elf != nullptr) return search.best();
    }
  }
  return {};
}

void CodeFinder::add(host::CodeMap& map, Found& found, Device& device, NodeId node, Agent agent,
                     u32 pc) {
  tile::Tile* const tile = device.tile_of(node);
  const u32 size = tile == nullptr ? 0 : tile->l1().size();
  if (!is_core(agent) || pc >= size || pc % 4 != 0) return;
  const u32 first = pc - std::min(pc, kAround);
  std::vector<u8> near(std::min(pc + kAround, size) - first);
  if (!device.read(node, first, near)) return;
  std::string key = std::to_string(pc) + ':';
  key.append(near.begin(), near.end());
  auto [at, is_new] = found.try_emplace(std::move(key));
  if (is_new) {
    Code code{std::vector<u8>(kL1Size), pc};
    if (device.read(node, 0, std::span(code.l1).first(size))) at->second = find(code);
  }
  const Match& match = at->second;
  if (match.elf == nullptr) return;
  map.add(core_of(agent), *match.elf, match.run_base, match.segment->virtual_address,
          static_cast<u32>(match.segment->data.size()), device.coord_of(node));
}

host::CodeMap CodeFinder::of_faults(Device& device) {
  files_.reset();
  host::CodeMap map;
  Found found;
  if (named_.empty() && folders_.empty()) return map;
  for (const Fault& fault : device.faults()) {
    add(map, found, device, fault.node, fault.agent, fault.pc);
    tile::Tile* const tile = device.tile_of(fault.node);
    const tile::Checks* const checks = tile == nullptr ? nullptr : tile->checks();
    if (checks == nullptr || checks->pushes() == nullptr) continue;
    for (const tile::PushLog::From& from : checks->pushes()->origins_of(fault))
      add(map, found, device, fault.node, from.core, from.pc);
  }
  return map;
}

host::CodeMap CodeFinder::of_waiters(Device& device) {
  files_.reset();
  host::CodeMap map;
  Found found;
  if (named_.empty() && folders_.empty()) return map;
  for (const Waiter& waiter : device.waiters())
    add(map, found, device, waiter.node, waiter.agent, waiter.pc);
  return map;
}

host::CodeMap CodeFinder::of_sites(Device& device, std::span<const Author> sites) {
  files_.reset();
  host::CodeMap map;
  Found found;
  if (named_.empty() && folders_.empty()) return map;
  for (const Author& site : sites) add(map, found, device, site.tile, site.agent, site.pc);
  return map;
}

}  // namespace bhemu::debug
