// The functions of the C library that we stand in front of.
#pragma once

#include <dlfcn.h>

namespace bhemu::shim {

/// The next one of this name; in each caller: static const auto real = next<&::open>("open").
template <auto Ours>
decltype(Ours) next(const char* name) {
  return reinterpret_cast<decltype(Ours)>(::dlsym(RTLD_NEXT, name));
}

}  // namespace bhemu::shim
