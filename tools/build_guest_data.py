#!/usr/bin/env python3
"""Writes the input tensors of examples/ as .npy files: build_guest_data.py FOLDER.

The values are bf16 numbers of both signs, 1/64 to 128 in size, so that their sums with 1.5 are
exact in f32 and only the conversion back to bf16 loses bits.
"""
import struct
import sys

SHAPE = (384, 512)


def values(count):
    state = 1
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        sign = 1 - 2 * (state >> 30)
        mantissa = 128 + (state >> 8 & 0x7F)
        exponent = (state >> 16) % 13 - 6
        yield sign * mantissa * 2.0 ** (exponent - 7)


def npy(shape, data):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (shape,)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii") +
            struct.pack("<%df" % len(data), *data))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = list(values(SHAPE[0] * SHAPE[1]))
    with open(sys.argv[1] + "/add_scalar_input.npy", "wb") as out:
        out.write(npy(SHAPE, data))


if __name__ == "__main__":
    main()
