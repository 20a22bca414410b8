#include "debug/known_code.hpp"

#include <cstdlib>

#include "host/settings/settings.hpp"

namespace bhemu::debug {
namespace {

void add_all(host::CodeMap& map, CoreId core, const host::Elf& elf, std::optional<Coord> tile) {
  for (const host::Segment& segment : elf.segments())
    if (segment.executable)
      map.add(core, elf, segment.virtual_address, segment.virtual_address, segment.memory_size,
              tile);
}

}  // namespace

KnownCode::KnownCode() {
  const char* const named = std::getenv("BHEMU_ELF");
  if (named != nullptr) paths_ = host::items_of(named);
  finder_ = std::make_unique<CodeFinder>(paths_, std::vector<std::string>());
}

KnownCode::KnownCode(const KnownCode& other)
    : firmware_(other.firmware_),
      loaded_(other.loaded_),
      paths_(other.paths_),
      finder_(std::make_unique<CodeFinder>(paths_, std::vector<std::string>())) {}

KnownCode::~KnownCode() = default;

void KnownCode::loaded(Coord tile, CoreId core, std::shared_ptr<const host::Elf> elf) {
  loaded_.push_back({tile, core, std::move(elf)});
}

void KnownCode::look_in(const std::string& path) {
  std::vector<std::string> paths = paths_;
  paths.push_back(path);
  finder_ = std::make_unique<CodeFinder>(paths, std::vector<std::string>());
  paths_ = std::move(paths);
}

host::CodeMap KnownCode::map(Device& device) {
  host::CodeMap map = finder_->of_faults(device);
  map.add(finder_->of_waiters(device));
  add_what_is_known(map);
  return map;
}

host::CodeMap KnownCode::map(Device& device, std::span<const Author> sites) {
  host::CodeMap map = finder_->of_sites(device, sites);
  add_what_is_known(map);
  return map;
}

void KnownCode::add_what_is_known(host::CodeMap& map) const {
  // What was loaded last has overwritten what was there.
  for (auto each = loaded_.rbegin(); each != loaded_.rend(); ++each)
    add_all(map, each->core, *each->elf, each->tile);
  for (unsigned core = 0; core < kCores && firmware_ != nullptr; ++core) {
    const auto id = static_cast<CoreId>(core);
    add_all(map, id, firmware_->elf(id), std::nullopt);
  }
}

}  // namespace bhemu::debug
