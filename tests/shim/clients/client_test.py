"""What a client in plain Python sees under bhemu shim: run by shim_test.cpp."""

import ctypes
import glob
import mmap
import multiprocessing
import os
import subprocess
import sys

from card import LARGE_WINDOW, PATH, Window, open_card

RESET = 0x1121B0
RESET_PC = 0x112228


def discovery():
    assert glob.glob("/dev/tenstorrent/*") == [PATH]
    assert os.listdir("/dev/tenstorrent") == ["0"]
    assert os.listdir("/sys/class/tenstorrent") == ["tenstorrent!0"]
    [entry] = os.scandir("/dev/tenstorrent")
    assert not entry.is_file() and entry.name == "0"
    with open("/sys/class/tenstorrent/tenstorrent!0/tt_card_type") as file:
        assert file.read() == "p150a\n" if "p150" in sys.argv else "p100a\n"
    device = os.path.realpath("/sys/class/tenstorrent/tenstorrent!0/device")
    assert device.startswith("/sys/devices/"), device
    assert os.path.basename(device) in os.listdir("/sys/bus/pci/devices")


def copies():
    descriptor = open_card()
    l1 = Window(descriptor).point(1, 2, 0)
    dram = Window(descriptor, LARGE_WINDOW).point(17, 12, 0)
    data = os.urandom(5000)
    for window in (l1, dram):
        for size in list(range(1, 140)) + [255, 256, 257, 1000, 2047, 2048, 2049, 4095, 4096, 4097]:
            for offset in (0x1000, 0x1001, 0x103F):
                window.write(offset, data[:size])
                assert window.read(offset, size) == data[:size]
        window.memory[0x3003:0x3010] = b"thirteen byte"
        assert window.memory[0x3003:0x3010] == b"thirteen byte"
        window.memory.seek(0x5001)
        window.memory.write(data)
        assert window.memory.find(data[100:200], 0x5000, 0x8000) == 0x5001 + 100
        assert bytes(memoryview(window.memory)[0x5001 : 0x5001 + 5000]) == data
        assert window.memory[0x5001] == data[0]


def registers():
    descriptor = open_card()
    window = Window(descriptor).point(1, 2, 0xFFA00000)
    assert window.read32(RESET) == 0x47800
    assert window.memory[RESET : RESET + 4] == b"\x00\x78\x04\x00"
    window.write32(RESET_PC, 0x8000)
    assert window.read32(RESET_PC) == 0x8000
    window.write(RESET_PC, b"\x00\x60\x00\x00")
    assert window.read(RESET_PC, 4) == b"\x00\x60\x00\x00"


def multicast():
    descriptor = open_card()
    window = Window(descriptor).point(14, 11, 0, x_start=1, y_start=2)
    window.write(0x200, b"\xfe\xca\0\0")  # a setter of ctypes would read first
    for x, y in ((1, 2), (7, 11), (10, 5), (14, 11)):
        window.point(x, y, 0)
        assert window.read32(0x200) == 0xCAFE, (x, y)


def processes():
    descriptor = open_card()
    window = Window(descriptor).point(1, 2, 0)
    window.write32(0, 5)
    command = "import os; print(os.listdir('/dev/tenstorrent'))"
    said = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert said.stdout == "['0']\n", said
    said = subprocess.run("test -e /dev/tenstorrent/0", shell=True, close_fds=True)
    assert said.returncode == 0
    child = multiprocessing.get_context("fork").Process(target=window.read32, args=(0,))
    child.start()
    child.join()
    assert child.exitcode == 0
    assert window.read32(0) == 5


def closing():
    descriptor = open_card()
    with open("/proc/driver/tenstorrent/0/pids") as file:
        assert str(os.getpid()) in file.read().split()
    window = Window(descriptor).point(1, 2, 0)
    os.close(descriptor)  # the mapping holds the file
    window.write32(4, 9)
    assert window.read32(4) == 9
    ctypes.memset(window.address, 1, 3)
    assert window.read(0, 4) == b"\1\1\1\0"
    try:
        mmap.mmap(descriptor, 4096)
    except OSError:
        return
    raise AssertionError("a closed descriptor was mapped")


discovery()
if "p150" not in sys.argv:
    for check in (copies, registers, multicast, processes, closing):
        check()
print("ok")
