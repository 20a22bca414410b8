// Makes a program that shows something as small as it gets while it still shows it.
#pragma once

#include <functional>

#include "diff/program.hpp"

namespace bhemu::diff {

/// Takes out items (whole groups; never those to keep), halves first, until none can go; then
/// simplifies what the others hold. `shows` is asked of every candidate.
Program shrink(Program program, const std::function<bool(const Program&)>& shows);

}  // namespace bhemu::diff
