/* A stand-in for the base firmware of an Ethernet tile: what tt-metal, tt-umd and programs on the
 * tile ask of it, by four mailboxes and a table of five functions. Our own program; the layout of
 * mailboxes, boot results and table is that of tt-metal's eth_fw_api.h (tt_metal/hw/inc/internal/
 * tt-1xx/blackhole/). Without a cable there is no link to train, to check or to recover.
 *
 * The heartbeat is not counted here: bhemu shows it rising while ERISC0 is in its waiting loop
 * (src/eth/base_firmware.hpp).
 */
typedef unsigned int u32;

enum {
  MAILBOXES = 0x7D000,
  MAILBOX_COUNT = 4,
  BOOT_RESULTS = 0x7CC00,
  PORT_STATUS = BOOT_RESULTS + 0x004,
  LIVE_STATUS = BOOT_RESULTS + 0x200,
  LIVE_STATUS_WORDS = 64,
  RX_LINK_UP = LIVE_STATUS + 0x004,
  API_TABLE = BOOT_RESULTS + 0x300,
  PCS_STATUS = 0xFFB9800C,
};

enum { CALL = 0xCA11, DONE = 0xD0E5 };

enum {
  LINK_STATUS_CHECK = 0x1,
  RELEASE_CORE = 0x2,
};

enum { PORT_UP = 1, PORT_DOWN = 2, PORT_UNUSED = 3 };

enum { NOWHERE = 0xFFFFFFFF };

struct mailbox {
  u32 message;
  u32 arg[3];
};

#define WORD(address) (*(volatile u32*)(address))

static volatile struct mailbox* const mailboxes = (volatile struct mailbox*)MAILBOXES;

/* A bit per mailbox whose call is being served: the function that RELEASE_CORE calls may ask for
 * service itself. In local memory, which whoever resets the core saves and restores. */
static u32 serving;

static void link_status_check(u32 copy_to) {
  const u32 up = WORD(PCS_STATUS) == 1;
  WORD(RX_LINK_UP) = up;
  if (WORD(PORT_STATUS) != PORT_UNUSED) WORD(PORT_STATUS) = up ? PORT_UP : PORT_DOWN;
  if (copy_to == NOWHERE) return;
  for (u32 i = 0; i < LIVE_STATUS_WORDS; ++i)
    WORD(copy_to + 4 * i) = WORD(LIVE_STATUS + 4 * i);
}

static void answer(volatile struct mailbox* box) {
  const u32 type = box->message & 0xFFFF;
  if (type == LINK_STATUS_CHECK) link_status_check(box->arg[0]);
  if (type == RELEASE_CORE) ((void (*)(void))box->arg[0])();
  /* Everything else is about a link, or about counters of requests to the NoC, of which this
   * firmware sends none. */
  box->message = (u32)DONE << 16 | type;
}

/* Answers every call. */
void serve(void) {
  for (u32 i = 0; i < MAILBOX_COUNT; ++i) {
    if (mailboxes[i].message >> 16 != CALL || (serving >> i & 1) != 0) continue;
    serving |= 1u << i;
    answer(&mailboxes[i]);
    serving &= ~(1u << i);
  }
}

/* Which arguments the real function takes is not public, and no program calls it. */
static void send_message(u32 box, u32 message, u32 arg0, u32 arg1, u32 arg2) {
  mailboxes[box].arg[0] = arg0;
  mailboxes[box].arg[1] = arg1;
  mailboxes[box].arg[2] = arg2;
  mailboxes[box].message = message;
}

static void nothing(void) {}

void boot(void) {
  serving = 0;
  for (u32 i = 0; i < MAILBOX_COUNT; ++i) mailboxes[i].message = 0;
  WORD(API_TABLE + 0) = (u32)send_message;
  WORD(API_TABLE + 4) = (u32)serve;
  WORD(API_TABLE + 8) = (u32)link_status_check;
  WORD(API_TABLE + 12) = (u32)nothing; /* counters of the dynamic NoC mode */
  WORD(API_TABLE + 16) = (u32)nothing; /* link recovery */
  link_status_check(NOWHERE);
}
