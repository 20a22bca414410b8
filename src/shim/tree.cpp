#include "shim/tree.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace bhemu::shim {
namespace {

namespace fs = std::filesystem;

// Where the driver and the kernel show a card.
constexpr std::array<std::string_view, 9> kPlaces = {
    "/dev/tenstorrent",         "/sys/class/tenstorrent",        "/sys/bus/pci",
    "/proc/driver/tenstorrent", "/sys/module/tenstorrent",       "/sys/dev/char",
    "/sys/class/hwmon",         "/sys/kernel/debug/tenstorrent", "/sys/bus/pci/slots"};
constexpr std::string_view kBusPlace = "/sys/devices/pci";  // and a bus number
// Directories in which the host has entries of its own.
constexpr std::array<std::string_view, 4> kMerged = {"/sys/bus/pci/devices", "/sys/bus/pci/slots",
                                                     "/sys/class/hwmon", "/sys/dev/char"};
constexpr std::string_view kName = "bhemu-shim.";
constexpr unsigned kLocalMajor = 240;  // Documentation/admin-guide/devices.txt: local use

bool begins_with_place(std::string_view path, std::string_view place) {
  return path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '/');
}

/// What processes that ended without exit(3) have left behind.
void sweep(const fs::path& directory) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    if (!name.starts_with(kName)) continue;
    const auto parsed = std::from_chars(name.data() + kName.size(), name.data() + name.size(), pid);
    struct stat status {};
    if (parsed.ec != std::errc() || pid <= 0 || ::lstat(entry.path().c_str(), &status) != 0 ||
        status.st_uid != ::getuid() || ::kill(pid, 0) == 0 || errno != ESRCH)
      continue;
    fs::remove_all(entry.path(), ignored);
  }
}

void write_file(const std::string& path, const std::string& text) {
  // A reader keeps the file that it has; the new one takes the name at once.
  const std::string fresh = path + ".fresh";
  std::ofstream(fresh, std::ios::binary) << text;
  ::chmod(fresh.c_str(), 0444);
  ::rename(fresh.c_str(), path.c_str());
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// "240:0\n"
dev_t parse_device(const std::string& text) {
  unsigned numbers[2] = {kLocalMajor, 0};
  const char* at = text.data();
  const char* end = at + text.size();
  for (unsigned& number : numbers) at = std::from_chars(at, end, number).ptr + 1;
  return makedev(numbers[0], numbers[1]);
}

/// Files as large as the BARs, beside sysfs's `resource`, which tells where each begins and ends.
void add_resources(const std::string& path, const std::string& text) {
  std::istringstream lines(text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    unsigned long long first = 0;
    unsigned long long last = 0;
    if (std::sscanf(line.c_str(), "%llx %llx", &first, &last) != 2 || last <= first) continue;
    const std::string file = path + std::to_string(number);
    std::ofstream(file).flush();
    std::error_code ignored;
    fs::resize_file(file, last - first + 1, ignored);  // a hole
    ::chmod(file.c_str(), 0600);
  }
}

}  // namespace

std::string tidied(const std::string& path) {
  std::string result;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = std::string_view(path).substr(at, end - at);
    if (!part.empty() && part != ".") result.append("/").append(part);
    at = end + 1;
  }
  return result.empty() ? "/" : result;
}

Tree::Tree(kmd::Driver& driver) : driver_(driver), device_path_(driver.device_path()) {
  const fs::path directory = fs::temp_directory_path();
  sweep(directory);
  std::string name = (directory / fmt::format("{}{}.XXXXXX", kName, ::getpid())).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), name);
  root_ = fs::canonical(name).string();
  device_number_ = makedev(kLocalMajor, 0);
  const std::string number_path =
      fmt::format("tenstorrent!{}/dev", device_path_.substr(device_path_.rfind('/') + 1));
  for (const kmd::Attribute& attribute : driver.attributes()) {
    add(attribute);
    if (!attribute.path.ends_with(number_path)) continue;
    device_number_ = parse_device(attribute.text);
    // The kernel's way from a device number to the device.
    constexpr std::string_view kSys = "/sys/";
    const std::string device =
        attribute.path.substr(kSys.size(), attribute.path.rfind('/') - kSys.size());
    add({fmt::format("/sys/dev/char/{}:{}", major(device_number_), minor(device_number_)),
         "../../" + device, true});
  }
  const fs::path device = root_ + device_path_;
  fs::create_directories(device.parent_path());
  std::ofstream(device).flush();
  ::chmod(device.c_str(), 0666);
  if (::stat(device.c_str(), &device_file_) != 0 ||
      ::stat(device.parent_path().c_str(), &device_directory_) != 0)
    throw std::system_error(errno, std::generic_category(), device.string());
}

void Tree::add(const kmd::Attribute& attribute) {
  const fs::path path = root_ + attribute.path;
  fs::create_directories(path.parent_path());
  if (!attribute.link) {
    write_file(path.string(), attribute.text);
    if (path.filename() == "resource") add_resources(path.string(), attribute.text);
    return;
  }
  // Links of sysfs are relative; one that is not must stay in the copy all the same.
  const bool absolute = attribute.text.starts_with('/');
  fs::create_symlink(absolute ? root_ + attribute.text : attribute.text, path);
}

bool Tree::may_have(const std::string& path) {
  if (path.starts_with(kBusPlace)) return true;
  for (const std::string_view place : kPlaces)
    if (begins_with_place(path, place)) return true;
  return false;
}

std::optional<std::string> Tree::copy_of(const std::string& path) {
  if (path.starts_with(root_)) return path;
  std::string copy = root_ + path;
  struct stat status {};
  if (::lstat(copy.c_str(), &status) != 0) return std::nullopt;
  if (std::ranges::find(kMerged, path) != kMerged.end()) {
    merge(path);
    return copy;
  }
  // A directory that the host has too and that is not merged stays the host's.
  if (S_ISDIR(status.st_mode) && ::lstat(path.c_str(), &status) == 0) return std::nullopt;
  return copy;
}

/// Links to what the host has in this directory and the copy has not.
void Tree::merge(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    const fs::path copy = root_ + path + "/" + entry.path().filename().string();
    if (!fs::exists(fs::symlink_status(copy, ignored)))
      fs::create_symlink(entry.path(), copy, ignored);
  }
}

std::string Tree::original_of(const std::string& path) const {
  if (!path.starts_with(root_)) return path;
  return path.size() == root_.size() ? "/" : path.substr(root_.size());
}

void Tree::refresh(const std::string& copy) {
  std::error_code error;
  const std::string real = fs::canonical(copy, error).string();
  if (error || !real.starts_with(root_)) return;
  const std::string original = original_of(real);
  if (is_device(original)) return;
  const std::optional<kmd::Attribute> attribute = driver_.attribute(original);
  if (!attribute || attribute->link) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (contents(real) != attribute->text) write_file(real, attribute->text);
}

bool Tree::is_device(unsigned major, unsigned minor, u64 inode) const {
  return makedev(major, minor) == device_file_.st_dev && inode == device_file_.st_ino;
}

void Tree::remove() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

}  // namespace bhemu::shim
