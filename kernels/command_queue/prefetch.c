// The queue's core: polls the put pointer in its L1, fetches records from the ring in host memory
// and carries them out. Counts its NoC transactions by id, as blackhole-py's firmware does.
#include "queue.h"

// Transaction ids. The NIU counts 8 bits of requests per id, so few may be under way.
enum { ID_FETCH = 1, ID_WRITE = 2, ID_HOST = 3, ID_MULTICAST = 4 };
enum { MOST_UNDER_WAY = 128, BURST = 16384 };

// blackhole-py's command words: read; acknowledged and posted write; posted multicast. And one that
// is acknowledged.
enum { CTRL_READ = 0x2090, CTRL_WRITE = 0x2092, CTRL_POSTED = 0x2082 };
enum { CTRL_MULTICAST_POSTED = 0x80A2, CTRL_MULTICAST = 0x80B2 };

#define OUTSTANDING(id) (NIU_BASE + 0x240 + 4 * (id))
#define WRITES_LEAVING(id) (NIU_BASE + 0x280 + 4 * (id))
#define CLEAR_OUTSTANDING (NIU_BASE + 0x60)

static void Command(u32 buffer, u32 control, u32 id, u32 bytes) {
  Write32(buffer + NOC_PACKET_TAG, id << 10);
  Write32(buffer + NOC_CTRL, control);
  Write32(buffer + NOC_AT_LEN_BE, bytes);
  Write32(buffer + NOC_CMD_CTRL, 1);
}

// Of host memory, from `low` of the PCIe tile; waits for it.
static void Fetch(u32 low, u32 l1, u32 bytes) {
  const u32 buffer = NocBuffer(0, NOC_BUF_READ);
  while (bytes != 0) {
    const u32 burst = bytes < BURST ? bytes : BURST;
    NocWaitBuffer(buffer);
    Write32(buffer + NOC_TARG_ADDR_LO, low);
    Write32(buffer + NOC_TARG_ADDR_MID, Read32(QUEUE_HOST_MID));
    Write32(buffer + NOC_TARG_ADDR_HI, Read32(QUEUE_PCIE_XY));
    Write32(buffer + NOC_RET_ADDR_LO, l1);
    Write32(buffer + NOC_RET_ADDR_MID, 0);
    Write32(buffer + NOC_RET_ADDR_HI, Read32(QUEUE_OWN_XY));
    Command(buffer, CTRL_READ, ID_FETCH, burst);
    low += burst;
    l1 += burst;
    bytes -= burst;
  }
  NocWaitBuffer(buffer);
  while (Read32(OUTSTANDING(ID_FETCH)) != 0) {
  }
  InvalidateL1Cache();
}

static void Send(u32 control, u32 id, u32 l1, u32 xy, u32 mid, u32 low, u32 bytes) {
  const u32 buffer = NocBuffer(0, NOC_BUF_WRITE);
  while (Read32(OUTSTANDING(id)) >= MOST_UNDER_WAY) {
  }
  while (bytes != 0) {
    const u32 burst = bytes < BURST ? bytes : BURST;
    NocWaitBuffer(buffer);
    Write32(buffer + NOC_TARG_ADDR_LO, l1);
    Write32(buffer + NOC_TARG_ADDR_MID, 0);
    Write32(buffer + NOC_TARG_ADDR_HI, Read32(QUEUE_OWN_XY));
    Write32(buffer + NOC_RET_ADDR_LO, low);
    Write32(buffer + NOC_RET_ADDR_MID, mid);
    Write32(buffer + NOC_RET_ADDR_HI, xy);
    Command(buffer, control, id, burst);
    low += burst;
    l1 += burst;
    bytes -= burst;
  }
  NocWaitBuffer(buffer);
}

static void WaitWritten(void) {
  while (Read32(OUTSTANDING(ID_WRITE)) != 0) {
  }
}

// A word to the completion page, behind all that was written before.
static void Tell(u32 offset, u32 value, u32 high) {
  WaitWritten();
  const u32 staged = QUEUE_STAGED + offset % 16;
  while (Read32(WRITES_LEAVING(ID_HOST)) != 0) {
  }
  Write32(staged, value);
  Write32(staged + 4, high);
  Fence();
  Send(CTRL_POSTED, ID_HOST, staged, Read32(QUEUE_PCIE_XY), Read32(QUEUE_HOST_MID),
       Read32(QUEUE_COMPLETION) + offset, high == ~0u ? 4 : 8);
}

// Every tile acknowledges, but the id counts the request only once (BlackholeA0/NoC/Counters.md,
// "Clear NIU transaction ID counters"): the acknowledgements are counted instead.
static void Multicast(const struct record* record, u32 payload, u32 rectangle) {
  const u32 bursts = (record->size + BURST - 1) / BURST;
  const u32 all = Read32(NIU_BASE + NIU_WR_ACK_RECEIVED) + bursts * record->targets;
  Send(CTRL_MULTICAST, ID_MULTICAST, payload, rectangle, 0, record->address, record->size);
  while (Read32(NIU_BASE + NIU_WR_ACK_RECEIVED) != all) {
  }
  Write32(CLEAR_OUTSTANDING, 1 << ID_MULTICAST);
}

static void Run(const struct record* record, u32 payload, u32 rectangle) {
  Write32(QUEUE_FINISHED, 0);
  Fence();
  Send(CTRL_MULTICAST_POSTED, ID_WRITE, payload, rectangle, 0, record->address, record->size);
  while (Read32(QUEUE_FINISHED) != record->targets) InvalidateL1Cache();
}

static void CarryOut(const struct record* record) {
  const u32 payload = (u32)record + LINE;
  const u32 first = Read32((u32)record + HEADER_TARGETS);
  switch (record->op) {
    case OP_UNICAST_WRITE:
      for (u32 target = 0; target < record->targets; ++target) {
        Send(CTRL_WRITE, ID_WRITE, payload, Read32((u32)record + HEADER_TARGETS + 4 * target), 0,
             record->address, record->size);
      }
      break;
    case OP_MULTICAST_WRITE:
      Multicast(record, payload, first);
      break;
    case OP_RUN:
      WaitWritten();
      Run(record, payload, first);
      break;
    case OP_SIGNAL:
      Tell(record->address, first, ~0u);
      break;
    case OP_WAIT:
      do {
        Fetch(Read32(QUEUE_COMPLETION) + record->address, QUEUE_POLLED, 4);
      } while (Read32(QUEUE_POLLED) != first);
      break;
    default:
      break;
  }
  WaitWritten();  // the record's place is used again
}

static void __attribute__((used)) Serve(void) {
  const u32 ring_bytes = Read32(QUEUE_RING_BYTES);
  const u32 ring = Read32(QUEUE_RING);
  const struct record* const record = (const struct record*)QUEUE_RECORD;
  u32 got = 0;       // bytes, low word
  u32 got_high = 0;  // and high word
  u32 place = 0;     // of the next record in the ring
  Write32(QUEUE_READY, 1);
  for (;;) {
    while (Read32(QUEUE_PUT) == got) InvalidateL1Cache();
    Fetch(ring + place, QUEUE_RECORD, LINE);
    const u32 total = Read32(QUEUE_RECORD + 4);
    if (record->op != OP_PAD && total > LINE)
      Fetch(ring + place + LINE, QUEUE_RECORD + LINE, total - LINE);
    CarryOut(record);
    got += total;
    got_high += got < total;
    place += total;
    if (place == ring_bytes) place = 0;
    Tell(COMPLETION_READ_POINTER, got, got_high);
  }
}

STAND_ALONE(Serve)
