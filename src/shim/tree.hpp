// The driver's files as real files: a private copy of what it shows below /dev, /sys and /proc, in
// a temporary directory, and the way from the one path to the other.
//
// Directories that the host has too are merged: beside the card's entries the copy has links to
// the host's own, so that a listing shows both.
#pragma once

#include <sys/stat.h>

#include <mutex>
#include <optional>
#include <string>

#include "kmd/driver.hpp"

namespace bhemu::shim {

class Tree {
 public:
  /// Throws std::system_error and std::filesystem::filesystem_error.
  explicit Tree(kmd::Driver& driver);

  /// Whether a path (absolute) can be one of the card's at all: a test of its beginning.
  static bool may_have(const std::string& path);

  /// Where a path of the driver's is in the copy; none: it is the host's own.
  std::optional<std::string> copy_of(const std::string& path);
  /// The path that a file of the copy stands for; others come back as they are.
  std::string original_of(const std::string& path) const;
  /// Writes what the attribute says now into its file, if `copy` (which may be a link) is one.
  void refresh(const std::string& copy);

  bool is_device(const std::string& original) const { return original == device_path_; }
  /// The copy of the device file is an ordinary file; clients must see a character device.
  bool is_device(const struct stat& file) const {
    return file.st_dev == device_file_.st_dev && file.st_ino == device_file_.st_ino;
  }
  bool is_device(unsigned major, unsigned minor, u64 inode) const;
  dev_t device_number() const { return device_number_; }
  /// Whether this directory of the copy holds the device file.
  bool is_device_directory(const struct stat& file) const {
    return file.st_dev == device_directory_.st_dev && file.st_ino == device_directory_.st_ino;
  }
  const std::string& device_path() const { return device_path_; }

  void remove();

 private:
  void add(const kmd::Attribute& attribute);
  void merge(const std::string& path);

  kmd::Driver& driver_;
  std::string root_;
  std::string device_path_;
  dev_t device_number_ = 0;
  struct stat device_file_ {};
  struct stat device_directory_ {};
  std::mutex mutex_;  // who writes files
};

/// Without "//", "/./" and a trailing '/'.
std::string tidied(const std::string& path);

}  // namespace bhemu::shim
