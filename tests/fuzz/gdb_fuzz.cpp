// libFuzzer target for gdb's packets: build with clang and BHEMU_FUZZ=ON, then
//   bhemu_fuzz_gdb tests/corpus/gdb
#include "fuzz/gdb_entry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  // tidy: allow global: a device takes long to make, and keeps nothing that matters here
  static bhemu::test::GdbFuzz fuzz;
  fuzz.run({data, size});
  return 0;
}
