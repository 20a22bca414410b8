// Firmware of BRISC, the tile's master: boots the other cores, then runs what launch messages say.
//
// Protocol: tt-metal's, with 96-byte launch messages and go messages at 0x370 (see l1_map.h).
#include "crt.h"
#include "l1_map.h"
#include "launch_setup.h"
#include "mmio.h"
#include "noc_regs.h"
#include "noc_setup.h"
#include "tensix_config.h"
#include "tensix_ops.h"

enum { IC_INVALIDATE_ALL = 0x1F };

static void InvalidateInstructionCaches(void) {
  Write32(TENSIX_CFG_BASE + 4 * RISCV_IC_INVALIDATE_InvalidateAll_WORD, IC_INVALIDATE_ALL);
}

// Clears both state banks and the global words, except the two whose write is an action.
static void ClearTensixConfig(void) {
  for (u32 word = 0; word < 2 * TENSIX_CFG_STATE_WORDS; ++word) {
    const u32 in_bank = word % TENSIX_CFG_STATE_WORDS;
    if (in_bank == RISCV_IC_INVALIDATE_InvalidateAll_WORD || in_bank == PRNG_SEED_Seed_Val_WORD) {
      continue;
    }
    Write32(TENSIX_CFG_BASE + 4 * word, 0);
  }
}

static void PushTensix(u32 word) {
  Write32(TENSIX_INSTRN_BUF, word);
}

// Dst cleared, all SFPU lanes enabled, SFPU constant -1 in its register, semaphores empty.
static void InitTensix(void) {
  ClearTensixConfig();
  // Clearing has turned instruction prefetch off; on again, for all cores, 8 requests deep.
  Write32(TENSIX_CFG_BASE + 4 * RISC_PREFETCH_CTRL_Enable_Trisc_WORD,
          7 << RISC_PREFETCH_CTRL_Enable_Trisc_LOW | 1 << RISC_PREFETCH_CTRL_Enable_Brisc_LOW |
              1 << RISC_PREFETCH_CTRL_Enable_NocRisc_LOW |
              8 << RISC_PREFETCH_CTRL_Max_Req_Count_LOW);
  PushTensix(OP(ZEROACC, .clear_mode = 3));
  PushTensix(OP(SFPENCC, .imm12_math = 3, .instr_mod1 = 10));
  PushTensix(OP(NOP));
  PushTensix(OP(SFPLOADI, .lreg_ind = 0, .imm16 = 0xBF80));
  PushTensix(OP(SFPCONFIG, .config_dest = 11));
  // Scrub Dst and the source registers' ECC on errors, every 0x100 cycles.
  Write32(TENSIX_CFG_BASE + 4 * ECC_SCRUBBER_Enable_WORD, 1 << ECC_SCRUBBER_Enable_LOW |
                                                              1 << ECC_SCRUBBER_Scrub_On_Error_LOW |
                                                              0x100 << ECC_SCRUBBER_Delay_LOW);
  // MATH_PACK (1), UNPACK_TO_DEST (2) and MATH_DONE (7) count to one; the others are free for
  // kernels.
  const u32 single = 1 << 1 | 1 << 2 | 1 << 7;
  for (u32 i = 0; i < 8; ++i) {
    const u32 max = (single >> i & 1) ? 1 : 15;
    PushTensix(OP(SEMINIT, .max_value = max, .sem_sel = 1u << i));
  }
}

static void SetResetPcs(void) {
  Write32(DEBUG_NCRISC_RESET_PC, L1_NCRISC_FIRMWARE);
  Write32(DEBUG_TRISC0_RESET_PC, L1_TRISC0_FIRMWARE);
  Write32(DEBUG_TRISC1_RESET_PC, L1_TRISC1_FIRMWARE);
  Write32(DEBUG_TRISC2_RESET_PC, L1_TRISC2_FIRMWARE);
  Write32(DEBUG_TRISC_RESET_PC_OVERRIDE, 7);
  Write32(DEBUG_NCRISC_RESET_PC_OVERRIDE, 1);
}

static void SetUpDevice(void) {
  for (u32 thread = 0; thread < 3; ++thread) {
    LDM32(LDM_INSTRN_BUF + 4 * thread) = TENSIX_INSTRN_BUF + 0x10000 * thread;
  }
  Write32(DEBUG_DEST_CG_CTRL, 0);
  Write32(TDMA_CLK_GATE_EN, 0x3F);
  for (u32 noc = 0; noc < NUM_NOCS; ++noc) {  // bit 0: clock gating
    Write32(Niu(noc) + NIU_CFG_0, Read32(Niu(noc) + NIU_CFG_0) | 1);
    Write32(Niu(noc) + NIU_ROUTER_CFG_0, Read32(Niu(noc) + NIU_ROUTER_CFG_0) | 1);
  }
  SetResetPcs();
  ClearWords(L1_ZEROS_BASE, L1_ZEROS_BASE + L1_ZEROS_SIZE);
  InvalidateInstructionCaches();
  InitTensix();
}

// Puts this tile's own coordinates into the command buffers, where they never change.
static void InitNoc(void) {
  for (u32 noc = 0; noc < NUM_NOCS; ++noc) {
    const u32 self = Read32(Niu(noc) + NIU_ID_LOGICAL) & 0xFFF;
    const u32 write = NocBuffer(noc, NOC_BUF_WRITE);
    Write32(write + NOC_TARG_ADDR_MID, 0);
    Write32(write + NOC_TARG_ADDR_HI, self);
    const u32 write_reg = NocBuffer(noc, NOC_BUF_WRITE_REG);
    Write32(write_reg + NOC_TARG_ADDR_MID, 0);
    Write32(write_reg + NOC_TARG_ADDR_HI, self);
    const u32 atomic = NocBuffer(noc, NOC_BUF_ATOMIC);
    Write32(atomic + NOC_RET_ADDR_LO, L1_NOC_ATOMIC_RET_VAL);
    Write32(atomic + NOC_RET_ADDR_MID, 0);
    Write32(atomic + NOC_RET_ADDR_HI, self);
    const u32 read = NocBuffer(noc, NOC_BUF_READ);
    Write32(read + NOC_CTRL, NOC_VC_UNICAST | NOC_CMD_VC_STATIC | NOC_CMD_RESP_MARKED);
    Write32(read + NOC_RET_ADDR_MID, 0);
    Write32(read + NOC_RET_ADDR_HI, self);
  }
}

// Tells the dispatch core that this worker is done: adds one to the count of the stream that the
// go message names. The register does the addition, so the increment is atomic; the NoC carries it
// as a posted inline write, because atomics proper reach L1 only.
static void NotifyDispatchCore(volatile struct go_msg* go) {
  const u32 noc = LDM8(LDM_NOC_INDEX);
  const u32 xy = NocXy(go->master_x, go->master_y);
  const u32 stream = DISPATCH_STREAM + go->dispatch_message_offset;
  const u32 buffer = NocBuffer(noc, NOC_BUF_ATOMIC);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_AT_DATA, STREAM_UPDATE_ONE);
  Write32(buffer + NOC_CTRL, NOC_VC_UNICAST | NOC_CMD_VC_STATIC | NOC_CMD_WR | NOC_CMD_WR_INLINE);
  Write32(buffer + NOC_TARG_ADDR_LO, StreamRegister(stream, STREAM_SPACE_AVAILABLE_UPDATE));
  Write32(buffer + NOC_TARG_ADDR_MID, 0);
  Write32(buffer + NOC_TARG_ADDR_HI, xy);
  Write32(buffer + NOC_AT_LEN_BE, 0xF);
  Write32(buffer + NOC_CMD_CTRL, 1);
  ++LDM32(LDM_NOC_POSTED_WRITES_NUM_ISSUED + 4 * noc);
}

static void WaitForSubordinates(void) {
  while (MAILBOXES->subordinate_sync.all != 0) InvalidateL1Cache();
}

static void HandleReadPointerReset(u8 signal) {
  MAILBOXES->launch_msg_rd_ptr = 0;
  if (signal == GO_RESET_READ_PTR_FROM_HOST) return;
  // REPLAY_TRACE differs from RESET_READ_PTR in the profiler only, which this firmware lacks.
  volatile struct go_msg* go = &MAILBOXES->go_messages[MAILBOXES->go_message_index];
  go->signal = GO_DONE;
  NotifyDispatchCore(go);
}

// Returns when there is something to run: a go signal, or a launch message to prepare early.
static void WaitForLaunch(void) {
  for (;;) {
    const u8 signal = GoSignal();
    if (signal == GO_GO || (CurrentLaunchMessage()->preload & PRELOAD_FLAG) != 0) return;
    InvalidateL1Cache();
    if (signal == GO_RESET_READ_PTR || signal == GO_RESET_READ_PTR_FROM_HOST ||
        signal == GO_REPLAY_TRACE) {
      HandleReadPointerReset(signal);
    }
  }
}

static void StartTriscs(u32 enables) {
  // TRISC0 may still be clearing the buffers' counters after the last kernel.
  while (MAILBOXES->subordinate_sync.core[1] != SYNC_DONE) InvalidateL1Cache();
  if ((enables >> CORE_TRISC0 & 7) == 0) return;
  for (u32 i = 1; i < 4; ++i) MAILBOXES->subordinate_sync.core[i] = SYNC_GO;
}

static void RunLaunch(void) {
  const u32 slot = MAILBOXES->launch_msg_rd_ptr;
  volatile struct launch_msg* launch = &MAILBOXES->launch[slot];
  const u32 enables = launch->enables;
  const u32 run_ncrisc = enables >> CORE_NCRISC & 1;
  if (run_ncrisc) MAILBOXES->subordinate_sync.core[0] = SYNC_LOAD;
  const u32 config_base = SetConfigBases(launch);
  InvalidateInstructionCaches();
  StartTriscs(enables);

  const u32 noc = launch->brisc_noc_id;
  LDM8(LDM_NOC_INDEX) = noc;
  LDM8(LDM_NOC_MODE) = launch->brisc_noc_mode;
  SetRelativeCoordinates(launch);
  if (LDM8(LDM_PREV_NOC_MODE) != launch->brisc_noc_mode) InitNoc();
  LDM8(LDM_PREV_NOC_MODE) = launch->brisc_noc_mode;
  NocLocalStateInit(noc);
  if (run_ncrisc) MAILBOXES->subordinate_sync.core[0] = SYNC_GO;

  if (enables >> CORE_BRISC & 1) {
    SetupCircularBuffers(launch, config_base);
    CallKernel(launch, config_base);
  } else {
    while (GoSignal() != GO_GO) InvalidateL1Cache();
  }
  WaitForSubordinates();
  MAILBOXES->subordinate_sync.core[1] = SYNC_INIT_SYNC_REGISTERS;

  volatile struct go_msg* go = &MAILBOXES->go_messages[MAILBOXES->go_message_index];
  go->signal = GO_DONE;
  if (launch->mode != DISPATCH_MODE_DEV) return;
  // The slot is used up: it runs nothing until a new message is written to it.
  launch->enables = 0;
  launch->preload = 0;
  NotifyDispatchCore(go);
  MAILBOXES->launch_msg_rd_ptr = (slot + 1) % LAUNCH_RING_SIZE;
}

int main(void) {
  ConfigureCsr();
  InitLocalMemory();
  InitBankTables();
  InitLogicalToVirtual();
  MAILBOXES->launch_msg_rd_ptr = 0;
  ReadLogicalCoordinates();
  ReadNocIdentity();
  SetUpDevice();

  MAILBOXES->ncrisc_resume_addr = 0;
  MAILBOXES->subordinate_sync.all = SYNC_ALL_INIT;
  Write32(DEBUG_SOFT_RESET_0, 0);
  WaitForSubordinates();
  MAILBOXES->go_messages[0].signal = GO_DONE;

  InitNoc();
  NocLocalStateInit(LDM8(LDM_NOC_INDEX));
  MAILBOXES->subordinate_sync.core[1] = SYNC_INIT_SYNC_REGISTERS;
  for (;;) {
    WaitForLaunch();
    RunLaunch();
  }
}
