/* bhemu as a library: emulated Blackhole chips as values.
 *
 * Any number of devices may live in one process; a device must be used by one thread at a time.
 * Coordinates are translated NoC 0 coordinates, as firmware uses them. No function throws or ends
 * the process. Functions that can fail return 0 for success and another bhemu_status otherwise;
 * bhemu_last_error() then says why. */
#ifndef BHEMU_BHEMU_H
#define BHEMU_BHEMU_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BHEMU_API __attribute__((visibility("default")))
#else
#define BHEMU_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bhemu_device bhemu_device;

typedef enum bhemu_status {
  BHEMU_OK = 0,
  BHEMU_BAD_INPUT = 2, /* an argument makes no sense, a file is damaged, nothing answers there */
  BHEMU_HANG = 3,      /* the device waits and nothing can ever release it */
  BHEMU_FAULT = 4,     /* a program on the device broke a rule of the chip */
  BHEMU_LIMIT = 5      /* the cycle limit was reached */
} bhemu_status;

typedef enum bhemu_board { BHEMU_P100A = 0, BHEMU_P150 = 1 } bhemu_board;

/* What bhemu_create makes. Start from bhemu_default_options(). */
typedef struct bhemu_options {
  bhemu_board board;
  uint32_t harvested_dram;    /* disabled DRAM banks, bit n = physical bank n */
  uint32_t harvested_columns; /* disabled Tensix columns, in the ARC's numbering */
  uint32_t threads;           /* host threads; results do not depend on it */
  uint32_t reference_timing;  /* 0: fast, 1: reference */
  uint64_t seed;
} bhemu_options;

/* "0.1.0" */
BHEMU_API const char* bhemu_version(void);

/* The last failure in this thread, as a text with one or more lines; "" when there was none. It
 * stays valid until the next call of a bhemu function in the same thread. */
BHEMU_API const char* bhemu_last_error(void);

BHEMU_API bhemu_options bhemu_default_options(bhemu_board board);

/* NULL when it fails. Free the device with bhemu_destroy, which accepts NULL. */
BHEMU_API bhemu_device* bhemu_create(const bhemu_options* options);
BHEMU_API void bhemu_destroy(bhemu_device* device);

/* The live Tensix tiles. `x` and `y` may be NULL; at most `capacity` are written to each. Returns
 * how many there are. */
BHEMU_API size_t bhemu_tensix_tiles(const bhemu_device* device, uint8_t* x, uint8_t* y,
                                    size_t capacity);
BHEMU_API uint32_t bhemu_dram_banks(const bhemu_device* device);

/* Memory and registers of the tile at (x, y), of any kind, between runs. */
BHEMU_API int bhemu_read(bhemu_device* device, uint32_t x, uint32_t y, uint64_t address,
                         void* target, size_t bytes);
BHEMU_API int bhemu_write(bhemu_device* device, uint32_t x, uint32_t y, uint64_t address,
                          const void* source, size_t bytes);
/* To every live Tensix tile of the inclusive rectangle. */
BHEMU_API int bhemu_multicast(bhemu_device* device, uint32_t x0, uint32_t y0, uint32_t x1,
                              uint32_t y1, uint64_t address, const void* source, size_t bytes);
/* DRAM by software bank. */
BHEMU_API int bhemu_read_dram(bhemu_device* device, uint32_t bank, uint64_t offset, void* target,
                              size_t bytes);
BHEMU_API int bhemu_write_dram(bhemu_device* device, uint32_t bank, uint64_t offset,
                               const void* source, size_t bytes);

/* Asked again and again during a run; not 0 ends it. It may read the device but not run it. */
typedef int (*bhemu_predicate)(bhemu_device* device, void* user);

/* Runs until `done` says so (BHEMU_OK), `max_cycles` have passed (BHEMU_LIMIT), nothing can ever
 * happen again (BHEMU_HANG) or a fault stops it (BHEMU_FAULT). `done` may be NULL. The report of a
 * hang or a fault is the error text. */
BHEMU_API int bhemu_run(bhemu_device* device, uint64_t max_cycles, bhemu_predicate done,
                        void* user);
BHEMU_API uint64_t bhemu_cycle(const bhemu_device* device);

/* Boots firmware on every tile: the five ELFs in `directory`, or the built-in ones for NULL. */
BHEMU_API int bhemu_boot(bhemu_device* device, const char* directory);

#ifdef __cplusplus
}
#endif

#endif
