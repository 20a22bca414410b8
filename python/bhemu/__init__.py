"""Emulated Tenstorrent Blackhole cards.

    import bhemu, numpy as np
    card = bhemu.Device("p150")
    card.boot()
    card.write((1, 2), 0x100000, np.arange(16, dtype=np.uint32))
    print(card.read_array((1, 2), 0x100000, 16, np.uint32))

``Device`` is a card: memory, time, register files, faults, copies. ``Program`` runs a program
file as ``bhemu run`` does. ``Tile`` is one
tile of a card. ``tensor`` has the layouts and number formats of tensors.
"""

from bhemu import tensor
from bhemu._native import __version__, disassemble_riscv, disassemble_tensix
from bhemu.device import Access, CircularBuffer, Coord, Core, Device, Fault, Tile
from bhemu.errors import Error, FaultError, HangError, InputError, LimitError
from bhemu.program import Program, Result, run
from bhemu.session import Hit, Semaphore, Session, Thread

__all__ = [
    "Access",
    "CircularBuffer",
    "Coord",
    "Core",
    "Device",
    "Error",
    "Fault",
    "FaultError",
    "HangError",
    "Hit",
    "InputError",
    "LimitError",
    "Program",
    "Result",
    "Semaphore",
    "Session",
    "Thread",
    "Tile",
    "__version__",
    "disassemble_riscv",
    "disassemble_tensix",
    "run",
    "tensor",
]
