"""Launches as host software makes them that writes them itself: kernels, arguments, circular
buffers, launch message and go message by their addresses (firmware/include/l1_map.h)."""

import struct
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
CORES = ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2")
TILE = (1, 2)
READ_POINTER, RING, GO, CONFIG, DATA = 0x6C, 0x70, 0x370, 0x86B0, 0x37000
MESSAGE_BYTES = 96
SOURCE, TARGET, PAGE = 0x100000, 0x200000, 2048


def image(name: str, core: int) -> bytes:
    """The one segment of a kernel of ours, which is linked for 0."""
    data = (ROOT / "kernels" / "prebuilt" / name / f"{CORES[core]}.elf").read_bytes()
    headers, = struct.unpack_from("<I", data, 28)
    size, count = struct.unpack_from("<HH", data, 42)
    for index in range(count):
        kind, offset, _, _, stored = struct.unpack_from("<5I", data, headers + index * size)
        if kind == 1:
            return data[offset : offset + stored]
    raise ValueError(name)


class Launch:
    """dram_copy on one tile: NCRISC reads pages into CB 0 and BRISC writes them. Whoever wants it
    broken changes something between the making and the sending."""

    def __init__(self, pages: int = 4) -> None:
        self.images = {core: image("dram_copy", core) for core in (0, 1)}
        self.arguments = {0: [TARGET, 0, pages], 1: [SOURCE, 0, pages]}
        self.argument_offsets = [0x40 * core for core in range(5)]
        self.buffers = {0: (0x40000, 2 * PAGE, 2, PAGE)}
        self.mask = 1
        self.texts = {0: 0x400, 1: 0x800}
        self.enables = 3
        self.mode = 1

    def configure(self, card, tile=TILE) -> None:
        for core, words in self.arguments.items():
            if words:
                card.write(tile, CONFIG + self.argument_offsets[core], np.array(words, np.uint32))
        for index, words in self.buffers.items():
            card.write(tile, CONFIG + 0x180 + 16 * index, np.array(words, np.uint32))
        for core, code in self.images.items():
            card.write(tile, CONFIG + self.texts[core], code)

    def message(self) -> bytes:
        message = bytearray(MESSAGE_BYTES)
        struct.pack_into("<3I", message, 0, CONFIG, CONFIG, CONFIG)
        struct.pack_into("<4H", message, 12, 0x140, 0x140, 0x140, 0x180)
        for core in range(5):
            struct.pack_into("<HH", message, 22 + 4 * core, self.argument_offsets[core], 0x140)
        message[42] = self.mode
        for core, offset in self.texts.items():
            struct.pack_into("<I", message, 44 + 4 * core, offset)
        struct.pack_into("<I", message, 64, self.mask)
        message[70] = 32
        struct.pack_into("<I", message, 76, self.enables)
        return bytes(message)

    def announce(self, card, tile=TILE, slot=None) -> None:
        slot = card.read32(tile, READ_POINTER) if slot is None else slot
        card.write(tile, RING + MESSAGE_BYTES * slot, self.message())

    def send(self, card) -> None:
        self.configure(card)
        self.announce(card)
        go(card)


def go(card, tile=TILE, word: int = 0x80000000) -> None:
    card.write32(tile, GO, word)


def is_done(card, tile=TILE) -> bool:
    return card.read32(tile, GO) >> 24 == 0


def run(card) -> None:
    card.run(until=lambda: is_done(card), max_cycles=2_000_000)


def fill(card, pages: int = 4) -> None:
    for page in range(pages):
        bank, row = page % card.dram_banks, page // card.dram_banks
        card.write_dram(bank, SOURCE + PAGE * row, np.full(PAGE // 4, 7 + page, np.uint32))


def result(card, pages: int = 4) -> list:
    words = []
    for page in range(pages):
        bank, row = page % card.dram_banks, page // card.dram_banks
        words.append(int.from_bytes(card.read_dram(bank, TARGET + PAGE * row, 4), "little"))
    return words
