// libFuzzer target for the driver's requests: build with clang and BHEMU_FUZZ=ON, then
//   bhemu_fuzz_ioctl
#include "fuzz/ioctl_entry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  bhemu::test::IoctlFuzz({data, size}).run();
  return 0;
}
