/* A whole program by hand, through the C API: BRISC of one tile adds two words of L1.
 *   cc add.c $(pkg-config --cflags --libs bhemu) && ./a.out */
#include <bhemu/bhemu.h>
#include <stdio.h>

static int finished(bhemu_device* device, void* user) {
  uint32_t flag = 0;
  (void)user;
  bhemu_read(device, 1, 2, 0x1000C, &flag, sizeof flag);
  return flag != 0;
}

int main(void) {
  static const uint32_t code[] = {
      0x00010537, /* lui  a0, 0x10        */
      0x00052583, /* lw   a1, 0(a0)       */
      0x00452603, /* lw   a2, 4(a0)       */
      0x00c585b3, /* add  a1, a1, a2      */
      0x00b52423, /* sw   a1, 8(a0)       */
      0x00100613, /* li   a2, 1           */
      0x00c52623, /* sw   a2, 12(a0)      */
      0x0000006f, /* j    .               */
  };
  static const uint32_t numbers[2] = {40, 2};
  const bhemu_options options = bhemu_default_options(BHEMU_P100A);
  bhemu_device* device = bhemu_create(&options);
  uint32_t sum = 0;
  if (device == NULL || bhemu_write(device, 1, 2, 0x4000, code, sizeof code) != BHEMU_OK ||
      bhemu_write(device, 1, 2, 0x10000, numbers, sizeof numbers) != BHEMU_OK ||
      bhemu_start_core(device, 1, 2, BHEMU_BRISC, 0x4000) != BHEMU_OK ||
      bhemu_run(device, 100000, finished, NULL) != BHEMU_OK ||
      bhemu_read(device, 1, 2, 0x10008, &sum, sizeof sum) != BHEMU_OK) {
    fprintf(stderr, "%s\n", bhemu_last_error());
    return 1;
  }
  printf("40 + 2 = %u after %llu cycles\n", sum, (unsigned long long)bhemu_cycle(device));
  bhemu_destroy(device);
  return sum == 42 ? 0 : 1;
}
