"""Stands in for blackhole-py's module ``codegen`` where its compiler is missing: the kernels come
from disassembly listings (objdump -d) of the same kernels, in the folder that
BHEMU_ADD1_LISTINGS names: reader_ncrisc, writer_brisc, compute_trisc0 to 2, each with
``.xip.objdump.txt``. What the listed kernels take as arguments (how many tiles, which number to
add) the given source has as constants; they are put in place of the loads.
"""

from __future__ import annotations

import os
import re
import struct
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path


class Processor(Enum):
    NCRISC = auto()
    BRISC = auto()
    TRISC0 = auto()
    TRISC1 = auto()
    TRISC2 = auto()


LISTINGS = {
    Processor.NCRISC: "reader_ncrisc",
    Processor.BRISC: "writer_brisc",
    Processor.TRISC0: "compute_trisc0",
    Processor.TRISC1: "compute_trisc1",
    Processor.TRISC2: "compute_trisc2",
}
_LINE = re.compile(r"^\s*([0-9a-f]+):\s+([0-9a-f]{8})\s+(\S+)\s*(.*)$")
_LOAD = re.compile(r"^(\w+),(-?\d+)\((\w+)\)")
_ADDI, _LUI = 0x13, 0x37


@dataclass(frozen=True)
class CompiledKernel:
    processor: Processor
    elf: bytes
    xip: bytes
    xip_text_bytes: int


def _constant_load(word: int, value: int) -> int:
    """An instruction that puts ``value`` where the load ``word`` puts its own."""
    register = word & 0xF80
    if value < 1 << 11:
        return value << 20 | register | _ADDI
    if value & 0xFFF == 0:
        return value | register | _LUI
    raise ValueError(f"{value:#x} takes more than one instruction")


def image(listing: str, arguments: dict[int, int]) -> bytes:
    """The words of a listing, loads of runtime arguments replaced by those ``arguments``."""
    words: dict[int, int] = {}
    base = None  # the register that points to the arguments
    left = dict(arguments)
    for line in listing.splitlines():
        found = _LINE.match(line)
        if not found:
            continue
        address, word = int(found[1], 16), int(found[2], 16)
        load = _LOAD.match(found[4]) if found[3] == "lw" else None
        if load and load[3] == base and int(load[2]) // 4 in left:
            word = _constant_load(word, left.pop(int(load[2]) // 4))
        elif load and "<rta_l1_base>" in found[4]:
            base = load[1]
        words[address] = word
    if left:
        raise ValueError(f"the listing reads no argument {sorted(left)}")
    start = min(words)
    if sorted(words) != list(range(start, start + 4 * len(words), 4)):
        raise ValueError("the listing has gaps")
    return struct.pack(f"<{len(words)}I", *(words[address] for address in sorted(words)))


def listing_of(processor: Processor) -> str:
    folder = Path(os.environ["BHEMU_ADD1_LISTINGS"])
    return (folder / f"{LISTINGS[processor]}.xip.objdump.txt").read_text()


def _constants(source: str, processor: Processor) -> dict[int, int]:
    """By number of the argument that the listed kernel has for them."""
    tiles = int(re.search(r"n_tiles = (\d+)", source)[1])
    if processor in (Processor.BRISC, Processor.NCRISC):
        return {1: tiles}  # behind the address of the tensor
    if processor is not Processor.TRISC1:
        return {0: tiles}
    scalar = float(re.search(r"scalar = ([\d.]+)f", source)[1])
    return {0: tiles, 1: struct.unpack("<I", struct.pack("<f", scalar))[0]}


class Compiler:
    def __init__(self, **_) -> None:
        """Options of the compiler change nothing here."""

    def compile_kernel(self, kern: str, processor: Processor, **_) -> CompiledKernel:
        xip = image(listing_of(processor), _constants(kern, processor))
        return CompiledKernel(processor=processor, elf=b"", xip=xip, xip_text_bytes=len(xip))
