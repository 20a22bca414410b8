// Which build of bhemu this is: what one build has worked out and kept in a file, another must not
// take for its own.
#pragma once

#include <string>

namespace bhemu {

/// The linker's build id of the program or library that this code is in, in hexadecimal digits.
/// Empty when it was linked without one.
std::string build_id();

}  // namespace bhemu
