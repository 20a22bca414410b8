/* bhemu as a library: emulated Blackhole chips as values.
 *
 * Any number of devices may live in one process; a device must be used by one thread at a time (a
 * second one is refused with BHEMU_BAD_INPUT).
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

/* "0.2.0" */
BHEMU_API const char* bhemu_version(void);

/* The last failure in this thread, as a text with one or more lines; "" when there was none. It
 * stays valid until the next call of a bhemu function in the same thread. */
BHEMU_API const char* bhemu_last_error(void);

BHEMU_API bhemu_options bhemu_default_options(bhemu_board board);

/* NULL when it fails. Free the device with bhemu_destroy, which accepts NULL. BHEMU_CHECK in the
 * environment names what is checked all the time; with BHEMU_RACE the race detector looks on, and
 * bhemu_destroy prints what it has found (docs/RACES.md). BHEMU_UNITS=full runs the coprocessors'
 * Full build with a cycle for everything: the same results, to the hash, in more time. */
BHEMU_API bhemu_device* bhemu_create(const bhemu_options* options);
BHEMU_API void bhemu_destroy(bhemu_device* device);

/* The live Tensix tiles. `x` and `y` may be NULL; at most `capacity` are written to each. Returns
 * how many there are. */
BHEMU_API size_t bhemu_tensix_tiles(const bhemu_device* device, uint8_t* x, uint8_t* y,
                                    size_t capacity);
BHEMU_API uint32_t bhemu_dram_banks(const bhemu_device* device);

/* Memory and registers of the tile at (x, y), of any kind, between runs. A go message of which no
 * good can come (no launch message, no kernel, the launch before still runs: docs/CLIENTS.md,
 * "Hosts that launch themselves") is refused, unless BHEMU_CHECK is none. */
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
 * hang, a fault, or a condition that did not come true within the limit is the error text. */
BHEMU_API int bhemu_run(bhemu_device* device, uint64_t max_cycles, bhemu_predicate done,
                        void* user);
BHEMU_API uint64_t bhemu_cycle(const bhemu_device* device);

/* Lets at least `cycles` pass (a whole epoch at least), also when nothing happens in them:
 * BHEMU_OK, or BHEMU_FAULT. */
BHEMU_API int bhemu_advance(bhemu_device* device, uint64_t cycles);

/* A hash of all memory, registers and times that a program could see: equal hashes, equal device.
 */
BHEMU_API uint64_t bhemu_hash(bhemu_device* device);

/* Boots firmware on every tile: the five ELFs in `directory`, or the built-in ones for NULL. Where
 * BHEMU_BOOT_CACHE in the environment names a folder, the first boot of its kind is kept there, and
 * a device with which nothing was done yet goes on from it: the same device, sooner. */
BHEMU_API int bhemu_boot(bhemu_device* device, const char* directory);

/* --- Programs of one's own ------------------------------------------------------------------- */

/* Numbers from here on are passed as uint32_t, so that one which names nothing can be refused.
 * Cores, in the order of SOFT_RESET_0's bits 11, 18, 12, 13, 14, and those of an Ethernet tile, 11
 * and 12. */
typedef enum bhemu_core {
  BHEMU_BRISC = 0,
  BHEMU_NCRISC = 1,
  BHEMU_TRISC0 = 2,
  BHEMU_TRISC1 = 3,
  BHEMU_TRISC2 = 4,
  BHEMU_ERISC0 = 5,
  BHEMU_ERISC1 = 6
} bhemu_core;

/* Writes an ELF file's segments to the tile: those for L1 to where they are loaded, those for local
 * memory into that of `core` (not of an ERISC, whose local memory nobody else reaches). Gaps stay
 * as they are, uninitialised memory becomes zero. `entry` may be NULL. Source lines of reports come
 * from the file. */
BHEMU_API int bhemu_load_elf(bhemu_device* device, uint32_t x, uint32_t y, uint32_t core,
                             const char* path, uint32_t* entry);
/* A file, or a folder with files named *.elf below it: reports look there for the code that they
 * find in L1, by its bytes, whoever wrote it and wherever. Files and folders that the environment
 * variable BHEMU_ELF names (comma separated) are registered when a device is created. */
BHEMU_API int bhemu_register_elf(bhemu_device* device, const char* path);
/* Lets a core go from `pc` (a multiple of 4; BRISC always starts at 0 and gets a jump there), or
 * holds it in reset. */
BHEMU_API int bhemu_start_core(bhemu_device* device, uint32_t x, uint32_t y, uint32_t core,
                               uint32_t pc);
BHEMU_API int bhemu_hold_core(bhemu_device* device, uint32_t x, uint32_t y, uint32_t core);

/* --- Looking inside --------------------------------------------------------------------------- */

typedef enum bhemu_core_status {
  BHEMU_CORE_RESET = 0,
  BHEMU_CORE_RUNNING = 1,
  BHEMU_CORE_BLOCKED = 2, /* an access waits */
  BHEMU_CORE_PARKED = 3,  /* polls; sleeps until what it polls changes */
  BHEMU_CORE_STOPPED = 4, /* broke a rule */
  BHEMU_CORE_HALTED = 5   /* paused for a debugger */
} bhemu_core_status;

typedef struct bhemu_core_state {
  bhemu_core_status status;
  uint32_t pc;
  uint32_t x[32];
  uint32_t f[32];
  uint64_t instructions; /* retired */
} bhemu_core_state;
BHEMU_API int bhemu_read_core(bhemu_device* device, uint32_t x, uint32_t y, uint32_t core,
                              bhemu_core_state* state);

/* Register files of the coprocessor, as the hardware stores them. `first` and `count` in words:
 *   BHEMU_DST16     1024 rows of 16 halfwords, one per word (upper half 0): bits as stored, BF16 is
 *                   sign, mantissa, exponent
 *   BHEMU_SRCA, _B  the matrix unit's bank: 64 rows of 16, as FP32 words of which 19 bits count
 *   BHEMU_LREG      17 registers of 32 lanes
 *   BHEMU_GPR       3 threads of 64
 *   BHEMU_CONFIG    2 banks of 224
 *   BHEMU_THREAD_CONFIG  3 threads of 64 */
typedef enum bhemu_registers {
  BHEMU_DST16 = 0,
  BHEMU_SRCA = 1,
  BHEMU_SRCB = 2,
  BHEMU_LREG = 3,
  BHEMU_GPR = 4,
  BHEMU_CONFIG = 5,
  BHEMU_THREAD_CONFIG = 6
} bhemu_registers;
/* How many words `file` has; 0 for none such. */
BHEMU_API size_t bhemu_register_words(uint32_t file);
BHEMU_API int bhemu_read_registers(bhemu_device* device, uint32_t x, uint32_t y, uint32_t file,
                                   size_t first, size_t count, uint32_t* words);

/* Circular buffers of the kernel that the tile was told to run last, as its launch message says.
 * Sizes in bytes; `received` and `acked` count pages modulo 65536. */
typedef struct bhemu_circular_buffer {
  uint32_t index;
  uint32_t address; /* in L1 */
  uint32_t size;
  uint32_t pages;
  uint32_t page_size;
  uint32_t received;
  uint32_t acked;
} bhemu_circular_buffer;
/* At most `capacity` of them to `buffers`; `count` gets how many there are (0 without a launch
 * message). BHEMU_BAD_INPUT for a message that makes no sense. */
BHEMU_API int bhemu_circular_buffers(bhemu_device* device, uint32_t x, uint32_t y,
                                     bhemu_circular_buffer* buffers, size_t capacity,
                                     size_t* count);

/* One instruction as text, cut to `capacity` with a final 0. Returns the length of the whole. */
BHEMU_API size_t bhemu_disassemble_riscv(uint32_t word, uint32_t pc, char* text, size_t capacity);
BHEMU_API size_t bhemu_disassemble_tensix(uint32_t word, char* text, size_t capacity);

/* How a rule is taken: BHEMU_RULE_ERROR stops who broke it, BHEMU_RULE_WARN reports and goes on,
 * BHEMU_RULE_SILICON does what the chip does without a word. `rule` is a name of docs/RULES.md. */
typedef enum bhemu_rule_level {
  BHEMU_RULE_ERROR = 0,
  BHEMU_RULE_WARN = 1,
  BHEMU_RULE_SILICON = 2
} bhemu_rule_level;
BHEMU_API int bhemu_set_rule(bhemu_device* device, const char* rule, uint32_t level);

/* --- Faults as values ------------------------------------------------------------------------- */

typedef struct bhemu_fault {
  const char* rule;  /* "noc-alignment": docs/RULES.md */
  int is_error;      /* 0: a warning, the program went on */
  uint32_t x, y;     /* the tile */
  const char* agent; /* "BRISC", "Tensix thread 1", ... */
  uint32_t pc;       /* program counter of a core, instruction word of a thread */
  uint64_t cycle;
  const char* text; /* what happened, with the values involved */
} bhemu_fault;

/* Faults since creation or the last clearing, oldest first. Texts stay valid until the next call of
 * a function with this device. */
BHEMU_API size_t bhemu_fault_count(bhemu_device* device);
BHEMU_API int bhemu_get_fault(bhemu_device* device, size_t index, bhemu_fault* fault);
/* Agents that had stopped stay stopped until they are reset. */
BHEMU_API void bhemu_clear_faults(bhemu_device* device);

/* --- Copies ----------------------------------------------------------------------------------- */

/* All state of the device, to be freed with bhemu_free. Host memory and options are not in it. */
BHEMU_API int bhemu_snapshot(bhemu_device* device, void** data, size_t* bytes);
BHEMU_API void bhemu_free(void* data);
/* Only into a device of the same board, harvesting and timing; else BHEMU_BAD_INPUT. */
BHEMU_API int bhemu_restore(bhemu_device* device, const void* data, size_t bytes);
/* NULL when it fails. The state is copied once, and of a clone that has not been used since not at
 * all: clone a clone when you want many. */
BHEMU_API bhemu_device* bhemu_clone(bhemu_device* device);

#ifdef __cplusplus
}
#endif

#endif
