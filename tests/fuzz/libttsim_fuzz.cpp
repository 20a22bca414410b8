// libFuzzer target for the libttsim ABI: build with clang and BHEMU_FUZZ=ON, then
//   bhemu_fuzz_libttsim
#include "fuzz/libttsim_entry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  bhemu::test::LibttsimFuzz({data, size}).run();
  return 0;
}
