"""A client with a program of its own and no firmware: kernels/command_queue/worker.c on BRISC of a
tile, which adds a number each time it is told to go. Run by shim_test.cpp.

own_program.py debugged FILE   looks for the sum when FILE is there
own_program.py looks SECONDS   looks for a word that nobody writes, and gives up
own_program.py asks 0          sends itself SIGUSR1, and then SIGINT
own_program.py astray SECONDS  tells the worker to go through a window that leads to another tile
"""

import os
import signal
import struct
import sys
import time
from pathlib import Path

from card import LARGE_WINDOW, Window, open_card

KERNEL = Path(__file__).resolve().parents[3] / "kernels/prebuilt/command_queue_worker/brisc.elf"
CODE, JUMP_TO_CODE = 0x4000, 0x0000406F
SOFT_RESET, HOLD_ALL, RUN_BRISC = 0x1121B0, 0x47800, 0x47000  # in a window at 0xFFA00000
WORKER_GO, QUEUE_XY, VALUE, SUM, RUNS = 0x370, 0x380, 0x400, 0x404, 0x408
GO = 0x80000000
OTHER = (2, 2)  # a worker tells it when it has finished; it runs nothing


def text_of(path):
    """The one segment of a prebuilt program."""
    elf = path.read_bytes()
    header = struct.unpack_from("<I", elf, 28)[0]
    _, offset, _, _, size = struct.unpack_from("<IIIII", elf, header)
    return elf[offset : offset + size]


descriptor = open_card()
registers = Window(descriptor).point(1, 2, 0xFFA00000)
window = Window(descriptor)
for tile in (OTHER, (1, 2)):
    window.point(*tile, 0)
    for address, word in ((0, JUMP_TO_CODE), (WORKER_GO, 0), (QUEUE_XY, OTHER[1] << 6 | OTHER[0]),
                          (VALUE, 42), (SUM, 0), (RUNS, 0)):
        window.write32(address, word)
window.write(CODE, text_of(KERNEL))
registers.write32(SOFT_RESET, HOLD_ALL)
registers.write32(SOFT_RESET, RUN_BRISC)


def wait(seconds, done):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
    return False


how, argument = sys.argv[1:]
if how == "debugged":
    window.write32(WORKER_GO, GO)
    while not os.path.exists(argument):
        time.sleep(0.02)
    while window.read32(RUNS) == 0:
        pass
    print("sum", window.read32(SUM))
elif how == "looks":
    dram = Window(descriptor, LARGE_WINDOW).point(17, 12, 0)
    dram.write32(0x1000, 0)
    print("done" if wait(float(argument), lambda: dram.read32(0x1000)) else "given up")
elif how == "astray":
    window.point(*OTHER, 0)
    window.write32(VALUE, 1)
    window.write32(WORKER_GO, 1)
    window.point(1, 2, 0)
    print("done" if wait(float(argument), lambda: window.read32(RUNS)) else "given up")
elif how == "asks":
    os.kill(os.getpid(), signal.SIGUSR1)
    time.sleep(1)
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    except KeyboardInterrupt:
        print("interrupted")
