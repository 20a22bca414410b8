// What the functions in front of the C library's do with paths and results.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <optional>
#include <string>

namespace bhemu::shim {

/// Where a path of the card's lies in the copy (tree.hpp); none: not ours, or not now.
std::optional<std::string> copy_for(int directory, const char* path);
/// The same, and what the file says is brought up to date.
std::optional<std::string> fresh_copy_for(int directory, const char* path);

int open_at(int directory, const char* path, int flags, mode_t mode);
int status_at(int directory, const char* path, struct stat* status, int flags);
int status_of(int descriptor, struct stat* status);
int access_at(int directory, const char* path, int mode, int flags);
/// Turns a path of the copy back, in place; the new length.
std::size_t restore_path(char* path, std::size_t length);

}  // namespace bhemu::shim
