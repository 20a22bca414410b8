// The guest of bench/riscv.cpp: CRC-32, a 32x32 integer matrix product, a sieve and a quicksort.
// Built by bench/riscv_kernel.sh into riscv_kernel.inc; position: L1 address 0, stack set by the
// caller, a0 = repetitions, the checksum comes back in a0.
typedef unsigned u32;

static u32 seed;
static u32 a[32][32], b[32][32], c[32][32];
static unsigned char sieve[8192];
static int keys[1024];

static u32 next(void) { return seed = seed * 1664525u + 1013904223u; }

static u32 crc(u32 sum) {
  for (u32 i = 0; i < 1024; ++i) {
    sum ^= next() & 0xFF;
    for (int k = 0; k < 8; ++k) sum = (sum >> 1) ^ (0xEDB88320u & (0u - (sum & 1)));
  }
  return sum;
}

static u32 product(void) {
  u32 sum = 0;
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 32; ++j) a[i][j] = next(), b[i][j] = next() >> 3;
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 32; ++j) {
      u32 dot = 0;
      for (int k = 0; k < 32; ++k) dot += a[i][k] * b[k][j];
      c[i][j] = dot;
      sum ^= dot;
    }
  return sum;
}

static u32 primes(void) {
  u32 count = 0;
  for (u32 i = 2; i < sizeof sieve; ++i) sieve[i] = 1;
  for (u32 i = 2; i < sizeof sieve; ++i) {
    if (!sieve[i]) continue;
    ++count;
    for (u32 j = i * 2; j < sizeof sieve; j += i) sieve[j] = 0;
  }
  return count;
}

static void sort(int* low, int* high) {
  while (low < high) {
    int pivot = low[(high - low) / 2];
    int *i = low, *j = high;
    while (i <= j) {
      while (*i < pivot) ++i;
      while (*j > pivot) --j;
      if (i <= j) {
        int t = *i;
        *i++ = *j;
        *j-- = t;
      }
    }
    sort(low, j);
    low = i;
  }
}

// The default linker script places .text.unlikely first.
__attribute__((section(".text.unlikely"))) u32 start(u32 repetitions) {
  u32 sum = 0;
  seed = 1;
  while (repetitions-- != 0) {
    sum = crc(sum) + product() + primes();
    for (int i = 0; i < 1024; ++i) keys[i] = (int)next();
    sort(keys, keys + 1023);
    for (int i = 0; i < 1024; i += 64) sum = sum * 31 + (u32)keys[i];
  }
  return sum;
}
