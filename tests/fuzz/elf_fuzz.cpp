// libFuzzer target for the loader of elf files: build with clang and BHEMU_FUZZ=ON, then
//   bhemu_fuzz_elf tests/corpus/elf
#include "fuzz/entry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  bhemu::test::fuzz_elf({data, size});
  return 0;
}
