// libFuzzer target for the loader of yaml files: build with clang and BHEMU_FUZZ=ON, then
//   bhemu_fuzz_yaml tests/corpus/yaml
#include "fuzz/entry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  bhemu::test::fuzz_yaml({data, size});
  return 0;
}
