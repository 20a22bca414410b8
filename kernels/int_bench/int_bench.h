// Integer work for one RISC-V core: CRC-32, a sort, a matrix product and a sieve over scratch
// memory, folded into one checksum. The same text runs on the host in tests.
#pragma once

enum { BENCH_WORDS = 256, BENCH_MATRIX = 16, BENCH_SIEVE = 1024 };

// Scratch needed, in words.
enum { BENCH_SCRATCH_WORDS = BENCH_WORDS + 3 * BENCH_MATRIX * BENCH_MATRIX + BENCH_SIEVE / 4 };

static unsigned BenchCrc(const unsigned* words, unsigned count) {
  unsigned crc = 0xFFFFFFFFu;
  for (unsigned i = 0; i < count; ++i) {
    crc ^= words[i];
    for (unsigned bit = 0; bit < 32; ++bit) crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1)));
  }
  return ~crc;
}

static void BenchFill(unsigned* words, unsigned count, unsigned seed) {
  for (unsigned i = 0; i < count; ++i) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    words[i] = seed;
  }
}

// Shell sort.
static void BenchSort(unsigned* words, unsigned count) {
  for (unsigned gap = count / 2; gap != 0; gap /= 2) {
    for (unsigned i = gap; i < count; ++i) {
      const unsigned word = words[i];
      unsigned j = i;
      for (; j >= gap && words[j - gap] > word; j -= gap) words[j] = words[j - gap];
      words[j] = word;
    }
  }
}

static void BenchMultiply(const unsigned* a, const unsigned* b, unsigned* out) {
  for (unsigned row = 0; row < BENCH_MATRIX; ++row) {
    for (unsigned column = 0; column < BENCH_MATRIX; ++column) {
      unsigned sum = 0;
      for (unsigned k = 0; k < BENCH_MATRIX; ++k) {
        sum += a[row * BENCH_MATRIX + k] * b[k * BENCH_MATRIX + column];
      }
      out[row * BENCH_MATRIX + column] = sum;
    }
  }
}

// How many primes lie below the size of the sieve, one byte a number.
static unsigned BenchSieve(unsigned char* composite) {
  for (unsigned i = 0; i < BENCH_SIEVE; ++i) composite[i] = i < 2;
  unsigned primes = 0;
  for (unsigned i = 2; i < BENCH_SIEVE; ++i) {
    if (composite[i]) continue;
    ++primes;
    for (unsigned multiple = i * i; multiple < BENCH_SIEVE; multiple += i) composite[multiple] = 1;
  }
  return primes;
}

static unsigned BenchRun(unsigned* scratch, unsigned iterations) {
  unsigned* words = scratch;
  unsigned* a = words + BENCH_WORDS;
  unsigned* b = a + BENCH_MATRIX * BENCH_MATRIX;
  unsigned* product = b + BENCH_MATRIX * BENCH_MATRIX;
  unsigned char* composite = (unsigned char*)(product + BENCH_MATRIX * BENCH_MATRIX);
  unsigned checksum = 1;
  for (unsigned i = 0; i < iterations; ++i) {
    BenchFill(words, BENCH_WORDS, checksum | 1);
    checksum = checksum * 31 + BenchCrc(words, BENCH_WORDS);
    BenchSort(words, BENCH_WORDS);
    checksum = checksum * 31 + BenchCrc(words, BENCH_WORDS);
    BenchFill(a, 2 * BENCH_MATRIX * BENCH_MATRIX, checksum | 1);
    BenchMultiply(a, b, product);
    checksum = checksum * 31 + BenchCrc(product, BENCH_MATRIX * BENCH_MATRIX);
    checksum = checksum * 31 + checksum / (BenchSieve(composite) + i) + checksum % 1021;
  }
  return checksum;
}
