// The page that reports are made of: report.html at the time of the build.
#pragma once

#include <string_view>

namespace bhemu::debug {

std::string_view page_template();

}  // namespace bhemu::debug
