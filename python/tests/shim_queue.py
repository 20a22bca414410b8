"""The command queue over files of the system instead of our nodes: run under `bhemu shim` it goes
through the same system calls and the same mapped memory as a driver on a real card."""

import ctypes
import fcntl
import mmap
import os
import sys
from pathlib import Path

from bhemu.blackhole_py import pcie


class SystemMapping:
    """A window as plain memory."""

    def __init__(self, fd, length, offset):
        self.memory = mmap.mmap(fd, length, offset=offset)
        self.anchor = ctypes.c_char.from_buffer(self.memory)
        self.address = ctypes.addressof(self.anchor)

    def read_at(self, offset, count):
        return ctypes.string_at(self.address + offset, count)

    def write_at(self, offset, data):
        ctypes.memmove(self.address + offset, bytes(data), len(data))

    def close(self):
        del self.anchor
        self.memory.close()


class SystemNodes:
    """What pcie wants of bhemu.blackhole_py.nodes, by the system's means."""

    open = staticmethod(os.open)
    close = staticmethod(os.close)
    ioctl = give_back = staticmethod(fcntl.ioctl)
    map = staticmethod(SystemMapping)

    @staticmethod
    def attribute(path):
        return Path(path).read_text()


if __name__ == "__main__":
    pcie.NODES = SystemNodes()
    import test_command_queue as queue

    device = pcie.PCIDevice(sysmem_size=1 << 24)
    getattr(queue, sys.argv[1])(device)
    device.close()
    print("done", device.card_type)
