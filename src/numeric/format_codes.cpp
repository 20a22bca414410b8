#include "numeric/format_codes.hpp"

namespace bhemu::numeric {

const char* name_of(Format format) {
  constexpr const char* kNames[16] = {
      "FP32",  "FP16",  "BFP8a", "BFP4a", "TF32",        "BF16",        "BFP8", "BFP4",
      "INT32", "INT16", "FP8",   "BFP2a", "12 (unused)", "13 (unused)", "INT8", "BFP2"};
  return kNames[static_cast<u8>(format)];
}

}  // namespace bhemu::numeric
