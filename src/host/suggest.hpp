// "Did you mean": the closest of some known words to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bhemu::host {

/// How many letters must be put in, taken out or changed to make one word of the other.
size_t edit_distance(std::string_view a, std::string_view b);

/// ", did you mean 'x'?" or, when nothing is close, " (known: a, b, c)".
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace bhemu::host
