// CHECK: *we* are wrong. Aborts, also in release. A guest's mistake is a Fault, never a CHECK.
#pragma once

namespace bhemu {
[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* file, int line);
}  // namespace bhemu

#define CHECK(condition) \
  ((condition) ? void(0) : ::bhemu::check_failed(#condition, __FILE__, __LINE__))
