"""A small client of tt-kmd's, in the standard library alone: what the tests here have in common."""

import ctypes
import fcntl
import mmap
import os
import struct

PATH = "/dev/tenstorrent/0"
WINDOW = 2 << 20
LARGE_WINDOW = 4 << 30


def request(number):
    return 0xFA << 8 | number


class Window:
    """A TLB window of the card, configured for one tile and mapped."""

    def __init__(self, descriptor, size=WINDOW):
        self.descriptor = descriptor
        buffer = bytearray(struct.pack("<QQIIQQQ", size, 0, 0, 0, 0, 0, 0))
        fcntl.ioctl(descriptor, request(11), buffer, True)
        self.id, _, self.offset_uc, self.offset_wc, _ = struct.unpack_from("<IIQQQ", buffer, 16)
        self.size = size
        self.memory = mmap.mmap(
            descriptor,
            size,
            mmap.MAP_SHARED,
            mmap.PROT_READ | mmap.PROT_WRITE,
            offset=self.offset_uc,
        )
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    def point(self, x, y, address, x_start=None, y_start=None, noc=0, ordering=1):
        """Sees `address` (a multiple of the window's size) of a tile, or of a rectangle."""
        multicast = x_start is not None
        buffer = bytearray(
            struct.pack(
                "<IIQHHHHBBBBB3x8xQ",
                self.id,
                0,
                address,
                x,
                y,
                x_start or 0,
                y_start or 0,
                noc,
                multicast,
                ordering,
                0,
                0,
                0,
            )
        )
        fcntl.ioctl(self.descriptor, request(13), buffer, True)
        return self

    def read32(self, offset):
        return ctypes.c_uint32.from_address(self.address + offset).value

    def write32(self, offset, value):
        ctypes.c_uint32.from_address(self.address + offset).value = value

    def read(self, offset, count):
        return ctypes.string_at(self.address + offset, count)

    def write(self, offset, data):
        ctypes.memmove(self.address + offset, data, len(data))


def open_card(flags=os.O_RDWR | os.O_CLOEXEC | os.O_APPEND):
    return os.open(PATH, flags)
