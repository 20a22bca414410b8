// libFuzzer target for the card as a host reaches it: build with clang and BHEMU_FUZZ=ON, then
//   bhemu_fuzz_card
#include "fuzz/card_entry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  bhemu::test::CardFuzz({data, size}).run();
  return 0;
}
