// One boot, many futures, through the C++ API: a booted device is cloned, and each clone gets
// another input.
//   c++ -std=c++17 fork.cpp $(pkg-config --cflags --libs bhemu) && ./a.out
#include <bhemu/bhemu.hpp>
#include <cstdio>

int main() try {
  bhemu_api::Device booted(BHEMU_P150);
  booted.boot();
  std::printf("booted %zu tiles at cycle %llu\n", booted.tensix_tiles().size(),
              static_cast<unsigned long long>(booted.cycle()));
  for (std::uint32_t input = 0; input < 3; ++input) {
    bhemu_api::Device future = booted.clone();
    future.write32({1, 2}, 0x100000, input);
    future.advance(1000);
    std::printf("future %u: %u, hash %016llx\n", input, future.read32({1, 2}, 0x100000),
                static_cast<unsigned long long>(future.hash()));
  }
  return 0;
} catch (const bhemu_api::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
