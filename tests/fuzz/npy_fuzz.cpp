// libFuzzer target for the loader of npy files: build with clang and BHEMU_FUZZ=ON, then
//   bhemu_fuzz_npy tests/corpus/npy
#include "fuzz/entry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  bhemu::test::fuzz_npy({data, size});
  return 0;
}
