// Start-up of a firmware image: control registers and local memory.
#pragma once
#include "guest_types.h"

extern u32 __ldm_data_start[], __ldm_data_end[], __ldm_bss_end[], __ldm_init_base[];

// cfg0 (CSR 0x7C0): bit 1 turns branch prediction off while caches are reconfigured, bit 3 turns
// the L0 data cache off, bit 18 turns off the fusion of pushed Tensix instructions, which only the
// TRISCs have a use for.
GUEST_INLINE void ConfigureCsr(void) {
  __asm__ volatile("csrs 0x7C0, %0\n\tfence" ::"r"(2) : "memory");
#if IS_TRISC
  __asm__ volatile("csrc 0x7C0, %0" ::"r"(1 << 18) : "memory");
#else
  __asm__ volatile("csrs 0x7C0, %0" ::"r"(1 << 18) : "memory");
#endif
  __asm__ volatile("csrc 0x7C0, %0\n\tfence\n\tfence" ::"r"(2) : "memory");
  __asm__ volatile("csrs 0x7C0, %0" ::"r"(8) : "memory");
}

GUEST_INLINE void CopyWords(u32 to, u32 from, u32 words) {
  for (u32 i = 0; i < words; ++i) Write32(to + 4 * i, Read32(from + 4 * i));
}

GUEST_INLINE void ClearWords(u32 from, u32 end) {
  for (u32 address = from; address < end; address += 4) Write32(address, 0);
}

GUEST_INLINE void InitLocalMemory(void) {
  const u32 data = (u32)__ldm_data_start;
  const u32 data_end = (u32)__ldm_data_end;
  CopyWords(data, (u32)__ldm_init_base, (data_end - data) / 4);
  ClearWords(data_end, (u32)__ldm_bss_end);
}
