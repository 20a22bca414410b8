#include "host/boot/embedded.hpp"

#include <array>

// The assembler looks for the files along the compiler's include path, that is from src/. For why
// the names are hidden: eth/base_firmware.cpp.
#if __has_include("../firmware/prebuilt/trisc2.elf")
__asm__(
    ".pushsection .rodata\n"
    ".balign 16\n"
    ".globl bhemu_firmware_0, bhemu_firmware_1, bhemu_firmware_2\n"
    ".globl bhemu_firmware_3, bhemu_firmware_4, bhemu_firmware_5\n"
    ".hidden bhemu_firmware_0, bhemu_firmware_1, bhemu_firmware_2\n"
    ".hidden bhemu_firmware_3, bhemu_firmware_4, bhemu_firmware_5\n"
    "bhemu_firmware_0: .incbin \"../firmware/prebuilt/brisc.elf\"\n"
    "bhemu_firmware_1: .incbin \"../firmware/prebuilt/ncrisc.elf\"\n"
    "bhemu_firmware_2: .incbin \"../firmware/prebuilt/trisc0.elf\"\n"
    "bhemu_firmware_3: .incbin \"../firmware/prebuilt/trisc1.elf\"\n"
    "bhemu_firmware_4: .incbin \"../firmware/prebuilt/trisc2.elf\"\n"
    "bhemu_firmware_5: .byte 0\n"
    ".popsection\n");

namespace bhemu::host {

extern "C" {
[[gnu::visibility("hidden")]] extern const u8 bhemu_firmware_0[];
[[gnu::visibility("hidden")]] extern const u8 bhemu_firmware_1[];
[[gnu::visibility("hidden")]] extern const u8 bhemu_firmware_2[];
[[gnu::visibility("hidden")]] extern const u8 bhemu_firmware_3[];
[[gnu::visibility("hidden")]] extern const u8 bhemu_firmware_4[];
[[gnu::visibility("hidden")]] extern const u8 bhemu_firmware_5[];
}

std::span<const u8> embedded_firmware(unsigned core) {
  const std::array<const u8*, kCores + 1> starts = {bhemu_firmware_0, bhemu_firmware_1,
                                                    bhemu_firmware_2, bhemu_firmware_3,
                                                    bhemu_firmware_4, bhemu_firmware_5};
  return {starts[core], starts[core + 1]};
}

}  // namespace bhemu::host
#else
namespace bhemu::host {

std::span<const u8> embedded_firmware(unsigned) {
  return {};
}

}  // namespace bhemu::host
#endif
