// Whole files in and out. Writing is atomic: the target either keeps its old contents or has all of
// the new ones, whatever happens in between.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace bhemu::host {

/// Throws InputError when the file cannot be read or is no regular file.
std::vector<u8> read_file(const std::string& path);

/// The file that writing to `path` would replace or make, links followed. Throws InputError where
/// that is no regular file, or cannot be written: to be asked before a long run.
std::string output_target(const std::string& path);

/// Writes beside the target, then renames. Throws InputError; leaves nothing behind in that case.
void write_file(const std::string& path, std::span<const u8> bytes);

/// Of a file that is found again by what it was made from: 32 hexadecimal digits that stand for
/// these bytes.
std::string content_name(std::span<const u8> bytes);

/// `path` as seen from the directory of `from` (a file); absolute paths stay as they are.
std::string relative_to(const std::string& from, const std::string& path);

}  // namespace bhemu::host
