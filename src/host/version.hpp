// The version of bhemu, for --version and the C API.
#pragma once

namespace bhemu::host {

/// The one place that says it: CMake, the packages and the Python package read it from here.
inline constexpr const char* kVersion = "0.2.0";

}  // namespace bhemu::host
