#include "host/boot/boot_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/build_id.hpp"
#include "device/image.hpp"
#include "host/error.hpp"
#include "host/file.hpp"

namespace bhemu::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "boot-";
constexpr const char* kSuffix = ".image";

/// A file that nobody changes, only replaces. Its bytes as long as the object lives.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      const auto size = static_cast<std::size_t>(status.st_size);
      void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
      if (at != MAP_FAILED) bytes_ = {static_cast<const u8*>(at), size};
    }
    ::close(file);
  }
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<u8*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const u8> bytes() const { return bytes_; }

 private:
  std::span<const u8> bytes_;
};

/// Null: there is none, or none that is whole.
std::shared_ptr<const DeviceImage> image_in(const std::string& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  if (file->bytes().empty()) return nullptr;
  try {
    const StateHeader header = StateHeader::read(file->bytes());
    header.check_body(file->bytes().subspan(sizeof header));
    return std::make_shared<const DeviceImage>(file->bytes(), file);
  } catch (const ArchiveError&) {
    return nullptr;
  }
}

}  // namespace

BootCache BootCache::from_environment() {
  const char* const folder = std::getenv("BHEMU_BOOT_CACHE");
  return BootCache(folder != nullptr ? folder : "");
}

/// Threads are left out, and whether code is translated: a boot is the same for any.
std::string BootCache::path_of(const Device& device, const Firmware& firmware) const {
  std::string build = build_id();
  if (build.empty())
    throw InputError(folder_, "",
                     "boots cannot be kept: this bhemu was linked without a build id, by which it "
                     "would know its own. Remedy: link it with --build-id");
  Archive key = Archive::saving();
  key.text(build);
  StateHeader header =
      StateHeader::of(device.options(), device.board().node_count(), StateHeader::Kind::Image);
  key.value(header);
  std::vector<Firmware::Piece> pieces = firmware.image(device.board());
  for (Firmware::Piece& piece : pieces) {
    key.value(piece.address);
    key.vector(piece.bytes);
  }
  for (unsigned core = 0; core < kCores; ++core) {
    u32 entry = firmware.elf(static_cast<CoreId>(core)).entry();
    key.value(entry);
  }
  std::array<u32, 2> logical = firmware.logical_coordinates().value_or(std::array<u32, 2>{});
  key.value(logical);
  return (fs::path(folder_) / (kPrefix + content_name(key.take()) + kSuffix)).string();
}

bool BootCache::resume(Device& device, const Firmware& firmware) {
  path_.clear();
  if (folder_.empty() || !device.is_untouched() || device.is_watched()) return false;
  const std::string path = path_of(device, firmware);
  if (const std::shared_ptr<const DeviceImage> image = image_in(path)) {
    try {
      device.take_over(image);
      ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // it is used; see drop_oldest
      return true;
    } catch (const ArchiveError&) {  // of another device, by its header: nothing has changed
    }
  }
  // Whether it can be kept is said before the boot, not behind it.
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw InputError(folder_, "", "cannot make this folder for boots: " + error.message());
  output_target(path);
  path_ = path;
  return false;
}

void BootCache::keep(Device& device) {
  // What firmware may have written to the host would not be written again.
  if (path_.empty() || !device.faults().empty() || device.has_host_memory()) return;
  const std::string path = std::exchange(path_, "");
  try {
    write_file(path, device.image_at_rest()->bytes());
    drop_oldest();
  } catch (const InputError& error) {
    fmt::print(stderr, "bhemu: this boot is not kept: {}\n", error.what());
  }
}

/// Others may do the same at the same time: what is gone already is left out.
void BootCache::drop_oldest() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    std::error_code gone;
    const fs::file_time_type used = at->last_write_time(gone);
    if (!gone) kept.emplace_back(used, at->path());
  }
  std::ranges::sort(kept, std::greater<>());
  for (std::size_t i = kMostKept; i < kept.size(); ++i) fs::remove(kept[i].second, error);
}

}  // namespace bhemu::host
