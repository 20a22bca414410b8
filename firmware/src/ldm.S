# Defines the variables of a core's local memory (include/ldm.def).
  .macro LDM_VARIABLE symbol, offset, bytes
  .org \offset - LDM_DATA_SIZE
  .globl \symbol
  .type \symbol, @object
  .size \symbol, \bytes
\symbol:
  .space \bytes
  .endm

# The one initialised word: where the subordinates' sync bytes lie in L1.
#if GUEST_CORE == 0
#define SYNC_POINTER subordinate_sync
#elif GUEST_CORE == 1
#define SYNC_POINTER ncrisc_run
#endif
#ifdef SYNC_POINTER
  .section .ldm_data, "aw", @progbits
  .globl SYNC_POINTER
  .type SYNC_POINTER, @object
  .size SYNC_POINTER, 4
SYNC_POINTER:
  .word 0x68
  .set LDM_DATA_SIZE, 4
#else
  .set LDM_DATA_SIZE, 0
#endif

  .section .ldm_bss, "aw", @nobits
#define LDM(symbol, name, offset, bytes) LDM_VARIABLE symbol, offset, bytes
#include "ldm.def"
