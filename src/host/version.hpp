// The version of bhemu, for --version and the C API.
#pragma once

namespace bhemu::host {

/// As in CMakeLists.txt; a test of the command line compares the two.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace bhemu::host
