// What the two data-movement cores do to the NoC at boot: identity and bank tables.
#pragma once
#include "crt.h"
#include "l1_map.h"
#include "noc_regs.h"

// First column of DRAM in translated coordinates; worker tiles all lie west of it.
enum { FIRST_DRAM_COLUMN = 17, LAST_DRAM_COLUMN = 18 };

// Coordinates (63, 63), which no tile has.
enum { NO_BANK = 0xFFF };

GUEST_INLINE void ReadNocIdentity(void) {
  for (u32 noc = 0; noc < NUM_NOCS; ++noc) {
    const u32 id = Read32(Niu(noc) + NIU_ID_LOGICAL);
    LDM8(LDM_MY_X + noc) = id & 0x3F;
    LDM8(LDM_MY_Y + noc) = (id >> 6) & 0x3F;
  }
}

GUEST_INLINE u32 BankEntry(u32 index) {
  return *(volatile u16*)(L1_BANK_TO_NOC_SCRATCH + 2 * index);
}

GUEST_INLINE int IsDramEntry(u32 entry) {
  const u32 x = entry & 0x3F;
  return x >= FIRST_DRAM_COLUMN && x <= LAST_DRAM_COLUMN;
}

// What a host writes for a bank that the board does not have.
GUEST_INLINE int IsAbsent(u32 entry) {
  return entry == 0 || entry == NO_BANK;
}

// Where one [noc][bank] table of the host lies in the scratch area, in entries.
struct bank_table {
  u32 start;
  u32 stride;
  u32 banks;
};

// Hosts write as many entries per NoC as this firmware's tables have and leave those of absent
// banks empty, or write just the banks there are, back to back. `run` entries at `start` are not
// absent.
GUEST_INLINE struct bank_table FindTable(u32 start, u32 run, u32 capacity) {
  const int padded = run <= capacity && !IsAbsent(BankEntry(start + capacity));
  return (struct bank_table){start, padded ? capacity : run / NUM_NOCS,
                             padded ? run : run / NUM_NOCS};
}

static void CopyTable(struct bank_table from, u32 ldm_offset, u32 capacity) {
  for (u32 noc = 0; noc < NUM_NOCS; ++noc) {
    for (u32 bank = 0; bank < from.banks; ++bank) {
      LDM16(ldm_offset + 2 * (noc * capacity + bank)) =
          BankEntry(from.start + noc * from.stride + bank);
    }
  }
}

// DRAM and worker entries are told apart by their columns. What is not copied stays 0, which is how
// kernels know how many banks there are.
static void InitBankTables(void) {
  u32 run = 0;
  while (IsDramEntry(BankEntry(run))) ++run;
  // A run that a worker's entry ends is not padded, however short.
  const struct bank_table dram = IsAbsent(BankEntry(run))
                                     ? FindTable(0, run, MAX_DRAM_BANKS)
                                     : (struct bank_table){0, run / NUM_NOCS, run / NUM_NOCS};
  CopyTable(dram, LDM_DRAM_BANK_TO_NOC_XY, MAX_DRAM_BANKS);
  const u32 start = NUM_NOCS * dram.stride;
  run = 0;
  while (run < NUM_NOCS * MAX_L1_BANKS && !IsAbsent(BankEntry(start + run))) ++run;
  const struct bank_table l1 = FindTable(start, run, MAX_L1_BANKS);
  CopyTable(l1, LDM_L1_BANK_TO_NOC_XY, MAX_L1_BANKS);
  CopyWords(LDM_BASE + LDM_BANK_TO_DRAM_OFFSET, L1_BANK_OFFSET_SCRATCH, dram.stride);
  CopyWords(LDM_BASE + LDM_BANK_TO_L1_OFFSET, L1_BANK_OFFSET_SCRATCH + 4 * dram.stride, l1.stride);
}

GUEST_INLINE void InitLogicalToVirtual(void) {
  CopyWords(LDM_BASE + LDM_LOGICAL_COL_TO_VIRTUAL_COL, L1_LOGICAL_TO_VIRTUAL_SCRATCH, 5);
  CopyWords(LDM_BASE + LDM_LOGICAL_ROW_TO_VIRTUAL_ROW, L1_LOGICAL_TO_VIRTUAL_SCRATCH + 20, 3);
}
