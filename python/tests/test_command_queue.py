"""A command queue in host memory, served by a core of the card while the host goes on: what
blackhole-py's newer generations do (kernels/command_queue)."""

import os
import random
import struct
import subprocess
import sys
from pathlib import Path

import bhemu
import pytest
from bhemu.blackhole_py import Card, insert
from bhemu.blackhole_py.pcie import PCIDevice, TLBWindow
from bhemu.errors import FaultError

KERNELS = Path(__file__).resolve().parents[2] / "kernels" / "prebuilt"
SOFT_RESET, HOLD_ALL, RUN_BRISC = 0xFFB121B0, 0x47800, 0x47000
CODE = 0x4000
JUMP_TO_CODE = 0x0000406F  # jal x0, CODE
LINE = 64
# kernels/command_queue/queue.h
PUT, RING_BYTES, READY = 0x1000, 0x1010, 0x1028
GO_ADDRESS, WORKER_QUEUE_XY, VALUE = 0x370, 0x380, 0x400
UNICAST_WRITE, MULTICAST_WRITE, RUN, SIGNAL, WAIT = 1, 2, 3, 5, 8
PAD = 0
GO = 0x80000000
READ_POINTER = 16
DATA = 0x40000
PCIE = (19, 24)
WORKERS = [(x, y) for x in (1, 2) for y in (2, 3)]


def text_of(name):
    """The one segment of a prebuilt program."""
    elf = (KERNELS / name / "brisc.elf").read_bytes()
    header = struct.unpack_from("<I", elf, 28)[0]
    kind, offset, _, _, size = struct.unpack_from("<IIIII", elf, header)
    assert kind == 1 and struct.unpack_from("<H", elf, 44)[0] == 1
    return elf[offset : offset + size]


def xy(tile):
    return tile[1] << 6 | tile[0]


class Queue:
    """The host's side: a ring of records, a page for answers."""

    def __init__(self, device, ring_bytes):
        self.device, self.sysmem, self.ring_bytes = device, device.sysmem, ring_bytes
        self.ring = self.sysmem.alloc(ring_bytes)
        self.page = self.sysmem.alloc(4096)
        self.put = 0
        self.polls = 0
        self.signals = 0
        self.window = TLBWindow(device.fd, device.prefetch_core)
        self.start()

    def start(self):
        base = SOFT_RESET & -TLBWindow.SIZE
        core = self.device.prefetch_core
        last = (max(x for x, _ in self.device.cores), 11)
        self.window.target(base, (1, 2), last)
        self.window.write(SOFT_RESET - base, HOLD_ALL)
        noc = self.sysmem.noc_addr
        mask = 0xFFFFFFFF
        words = (self.ring_bytes, noc + self.ring & mask, noc + self.page & mask, noc >> 32,
                 xy(PCIE), xy(core), 0)
        for tile, name in [(core, "command_queue")] + [(w, "command_queue_worker")
                                                        for w in WORKERS]:
            self.window.target(0, tile)
            self.window.write(CODE, text_of(name))
            self.window.write(0, JUMP_TO_CODE)
            self.window.write(GO_ADDRESS, 0)
            self.window.write(WORKER_QUEUE_XY, xy(core))
            self.window.write(VALUE, bytes(12))
        self.window.target(0)
        self.window.write(PUT, 0, 8)
        self.window.write(RING_BYTES, struct.pack("<7I", *words))
        for tile in [core, *WORKERS]:
            self.window.target(base, tile)
            self.window.write(SOFT_RESET - base, RUN_BRISC)
        self.window.target(0)
        while int.from_bytes(self.window.read(READY), "little") != 1:
            pass

    def word(self, offset, size=4):
        return int.from_bytes(self.sysmem.read(self.page + offset, size), "little")

    def spin(self, offset, value, size=4):
        """Looks at host memory alone, as the real driver does."""
        while self.word(offset, size) != value:
            self.polls += 1

    def push(self, op, targets=0, address=0, data=b"", words=()):
        """Puts a record in, once there is room for it, and tells the core."""
        total = LINE + (len(data) + LINE - 1) // LINE * LINE
        left = self.ring_bytes - self.put % self.ring_bytes
        if total > left:
            self.put_record(struct.pack("<BBHIII", PAD, 0, 0, left, 0, 0).ljust(LINE, b"\0"), left)
        record = struct.pack("<BBHIII", op, 0, targets, total, address, len(data))
        record += struct.pack(f"<{len(words)}I", *words)
        self.put_record(record.ljust(LINE, b"\0") + data, total)

    def put_record(self, record, total):
        while self.put + total - self.word(READ_POINTER, 8) > self.ring_bytes:
            self.polls += 1
        self.sysmem.write(self.ring + self.put % self.ring_bytes, record)
        self.put += total
        self.window.write(PUT, self.put, 8)

    def finish(self):
        """Until all that was put in has been done."""
        self.signals += 1
        self.push(SIGNAL, address=256, words=(self.signals,))
        self.spin(256, self.signals)


@pytest.fixture(params=[("p100a", 1), ("p100a", 2), ("p150", 1), ("p150", 2)],
                ids=lambda p: f"{p[0]}-{p[1]}-threads")
def device(request):
    board, threads = request.param
    insert(Card(board, threads=threads))
    device = PCIDevice(sysmem_size=1 << 24)
    yield device
    device.close()


def test_the_queue_does_what_hundreds_of_records_say_in_their_order(device):
    queue = Queue(device, ring_bytes=16 * 1024)
    rng = random.Random(5)
    memory = {tile: bytearray(4096) for tile in WORKERS}
    sums = {tile: [0, 0, 0] for tile in WORKERS}  # value, sum, runs
    rectangle = xy(WORKERS[-1]) | xy(WORKERS[0]) << 12
    for tile in WORKERS:
        queue.push(UNICAST_WRITE, 1, DATA, bytes(4096), [xy(tile)])
    for _ in range(400):
        kind = rng.random()
        if kind < 0.45:
            tiles = rng.sample(WORKERS, rng.randint(1, 4))
            size = 16 * rng.randint(1, 100)
            at = 16 * rng.randint(0, (4096 - size) // 16)
            data = rng.randbytes(size)
            queue.push(UNICAST_WRITE, len(tiles), DATA + at, data, [xy(tile) for tile in tiles])
            for tile in tiles:
                memory[tile][at : at + size] = data
        elif kind < 0.7:
            size = 16 * rng.randint(1, 60)
            at = 16 * rng.randint(0, (4096 - size) // 16)
            data = rng.randbytes(size)
            queue.push(MULTICAST_WRITE, len(WORKERS), DATA + at, data, [rectangle])
            for tile in WORKERS:
                memory[tile][at : at + size] = data
        elif kind < 0.95:
            value = rng.getrandbits(32)
            queue.push(UNICAST_WRITE, 1, VALUE, struct.pack("<I", value), [xy(WORKERS[1])])
            sums[WORKERS[1]][0] = value
            queue.push(RUN, len(WORKERS), GO_ADDRESS, struct.pack("<I", GO), [rectangle])
            for state in sums.values():
                state[1] = state[1] + state[0] & 0xFFFFFFFF
                state[2] += 1
        else:
            queue.finish()
    queue.finish()
    assert queue.put > 10 * queue.ring_bytes, "the ring went around"
    queue.spin(READ_POINTER, queue.put, 8)
    for tile in WORKERS:
        queue.window.target(0, tile)
        assert queue.window.read(DATA, 4096) == memory[tile]
        assert list(struct.unpack("<3I", queue.window.read(VALUE, 12))) == sums[tile]
    queue.window.close()


def test_a_core_waits_for_a_word_that_only_the_host_writes(device):
    queue = Queue(device, ring_bytes=4096)
    for turn in range(1, 51):
        queue.push(WAIT, address=512, words=(turn,))
        queue.push(SIGNAL, address=260, words=(turn * 3,))
        for _ in range(100):
            assert queue.word(260) == (turn - 1) * 3
        queue.sysmem.write(queue.page + 512, struct.pack("<I", turn))
        queue.spin(260, turn * 3)
    queue.window.close()


def test_a_fault_ends_a_host_that_only_looks_at_its_memory():
    insert(Card("p100a", faults="throw"))
    device = PCIDevice(sysmem_size=1 << 20)
    queue = Queue(device, ring_bytes=4096)
    queue.push(WAIT, address=512, words=(1,))
    queue.push(UNICAST_WRITE, 1, DATA, bytes(16), [xy((31, 31))])  # where no tile is
    with pytest.raises(FaultError, match="BRISC of tile \\(14, 2\\)"):
        queue.sysmem.write(queue.page + 512, struct.pack("<I", 1))
        queue.spin(0, 1)  # never: nothing of the card is touched from here on
    with pytest.raises(FaultError):
        queue.window.read(0)
    queue.window.close()
    device.close()


@pytest.mark.parametrize("board", ["p100a", "p150"])
@pytest.mark.parametrize("name", [
    test_the_queue_does_what_hundreds_of_records_say_in_their_order.__name__,
    test_a_core_waits_for_a_word_that_only_the_host_writes.__name__])
def test_the_queue_through_the_shim(name, board):
    """With plain memory in place of windows, and the driver's files in place of ours."""
    command = os.environ.get("BHEMU_COMMAND")
    if not command:
        pytest.skip("BHEMU_COMMAND (the command bhemu, with its library for `bhemu shim`) is not "
                    "set")
    path = os.pathsep.join([str(Path(bhemu.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [command, "shim", "--board", board, "--threads", "2", "--", sys.executable,
         str(Path(__file__).parent / "shim_queue.py"), name],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.stderr == "" and done.stdout.startswith(f"done {board}")
