"""An emulated card."""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, Sequence, Union

import numpy as np

from bhemu import _native
from bhemu.errors import InputError, Standstill
from bhemu.tensor import source_values

Coord = tuple[int, int]
"""Translated NoC 0 coordinates (x, y), as firmware and drivers use them."""

Readable = Union[bytes, bytearray, memoryview, np.ndarray]

L1_BYTES = 1536 * 1024
CORES = ("brisc", "ncrisc", "trisc0", "trisc1", "trisc2")


@dataclass(frozen=True)
class Core:
    """One RISC-V core at this moment.

    ``status`` is ``reset``, ``running``, ``blocked`` (an access waits), ``parked`` (polls, and
    sleeps until what it polls changes), ``stopped`` (broke a rule) or ``halted`` (paused for a
    debugger). ``x`` and ``f`` are the 32 integer and float registers as 32-bit words.
    """

    status: str
    pc: int
    x: list[int]
    f: list[int]
    instructions: int


@dataclass(frozen=True)
class CircularBuffer:
    """A circular buffer in L1: ``size`` and ``page_size`` in bytes; ``received`` and ``acked``
    count pages modulo 65536, so ``(received - acked) % 65536`` of them are full."""

    index: int
    address: int
    size: int
    pages: int
    page_size: int
    received: int
    acked: int


@dataclass(frozen=True)
class Fault:
    """A broken rule: ``rule`` is its name in docs/RULES.md. ``pc`` is a program counter, or the
    instruction word of a coprocessor thread; ``where`` is function and source line."""

    rule: str
    is_error: bool
    tile: Coord
    agent: str
    pc: int
    cycle: int
    text: str
    where: str
    instruction: str


@dataclass(frozen=True)
class Access:
    """An access to a watched place: ``watch`` is what was asked for, ``before`` and ``after`` what
    was there (where that is one value), ``text`` says who it was, as ``bhemu run --watch`` does."""

    watch: str
    cycle: int
    reads: bool
    writes: bool
    before: "int | None"
    after: "int | None"
    text: str


def _bytes(data: Readable) -> Readable:
    if not isinstance(data, (np.ndarray, np.generic)):
        return data
    if data.dtype.kind in "iub" or (data.dtype.kind == "f" and data.dtype.itemsize <= 4):
        return np.ascontiguousarray(data)
    raise InputError(
        f"an array of {data.dtype} is nothing that a card can read. Remedy: convert it first "
        "(astype(np.float32), tensor.to_bf16), or hand over its bytes (tobytes()) if they are meant"
    )


def _explained(tile, address, data=b"") -> TypeError:
    """What is wrong with the arguments of an access that the native half did not take."""
    numbers = isinstance(tile, (tuple, list)) and len(tile) == 2
    if not numbers or not all(isinstance(each, (int, np.integer)) for each in tile):
        return TypeError(f"a tile is (x, y), two whole numbers, and not {tile!r}")
    if isinstance(address, bool) or not isinstance(address, (int, np.integer)) or address < 0:
        return TypeError(f"an address is a whole number from 0 on, and not {address!r}")
    return TypeError(
        f"data is bytes or an array, and not {type(data).__name__}. Remedy: say how it lies in "
        "memory: np.array(..., np.uint32), np.float32 or tensor.to_bf16(...); one word is write32"
    )


def _place(function) -> str:
    """Where a condition is in the host's source: "script.py:12"; empty when it is no function."""
    code = getattr(getattr(function, "asks", function), "__code__", None)
    return "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"


class Device:
    """A card with its tiles, memory and time. Any number may live in one process; several
    threads may use one, a call at a time."""

    _latest: "list | None" = None  # the last session's

    def __init__(
        self,
        board: str = "p150",
        *,
        harvest_dram: str = "",
        harvest_columns: str = "",
        timing: str = "fast",
        threads: int = 1,
        seed: int = 0,
        rules: Iterable[str] = (),
        writers: bool = False,
        check: str = "",
        _native_device: "_native.Device | None" = None,
    ) -> None:
        """``board`` is ``p100a`` or ``p150``; the harvest lists are like ``"2,5"``, ``"none"`` or
        ``"+2"`` (added to what the board lacks anyway). ``timing`` is ``fast`` or ``reference``.
        ``threads`` of the host run the card; results do not depend on it. ``seed`` is for timings
        that draw at random, which these two do not. ``rules`` are
        ``"name=error"``, ``"name=warn"`` or ``"name=silicon"``. With ``writers`` it is remembered
        who writes what, for :meth:`why`; the card is several times slower then. ``check`` is what
        is looked for that silicon lets pass (docs/DEBUGGING.md, Checks): ``buffers`` and ``noc``
        are on, ``none`` turns them off, ``all`` looks at every instruction."""
        if _native_device is not None:
            self._device = _native_device
            return
        self._device = _native.Device(
            settings(board, harvest_dram, harvest_columns, timing, threads, rules, seed, check)
        )
        if writers:
            self._device.remember_writers()

    # --- What there is.

    @property
    def board(self) -> str:
        """``"P100A"`` or ``"P150"``."""
        return self._device.board()

    @property
    def tensix_tiles(self) -> list[Coord]:
        """The live Tensix tiles, column by column."""
        return self._device.tensix_tiles()

    def tile(self, x: int, y: int) -> "Tile":
        """One Tensix tile, for those who look at one for longer."""
        return Tile(self, (x, y))

    @property
    def dram_banks(self) -> int:
        """The number of DRAM banks of 4 GiB."""
        return self._device.dram_banks()

    def dram_tile(self, bank: int, noc: int = 0) -> Coord:
        """The tile through which firmware reaches ``bank`` on NoC ``noc``."""
        return self._device.dram_tile(bank, noc)

    def soc_descriptor(self) -> str:
        """The YAML text that tt-umd wants beside a simulator of this board."""
        return self._device.soc_descriptor()

    # --- Memory and registers, between runs. Any size and alignment.

    def read(self, tile: Coord, address: int, size: int) -> bytes:
        """``size`` bytes from ``address`` of ``tile`` (L1, registers, DRAM by its tile)."""
        data = bytearray(size)
        self._read(tile, address, data)
        return bytes(data)

    def read_array(self, tile: Coord, address: int, shape, dtype=np.uint32) -> np.ndarray:
        """An array of ``shape`` and ``dtype`` whose bytes begin at ``address``."""
        array = np.empty(shape, dtype)
        self._read(tile, address, array)
        return array

    def _read(self, tile: Coord, address: int, target) -> None:
        try:
            self._device.read(tile, address, target)
        except TypeError:
            raise _explained(tile, address) from None

    def write(self, tile: Coord, address: int, data: Readable) -> None:
        """The bytes of ``data`` (an array's in C order) to ``address`` of ``tile``."""
        self._write(tile, address, data)

    def _write(self, tile: Coord, address: int, data: Readable) -> None:
        try:
            doubts = self._device.write(tile, address, _bytes(data))
        except TypeError:
            raise _explained(tile, address, data) from None
        if doubts:
            # The caller of write or write32.
            warnings.warn(doubts, stacklevel=3)

    def read32(self, tile: Coord, address: int) -> int:
        """One little-endian 32-bit word."""
        return int.from_bytes(self.read(tile, address, 4), "little")

    def write32(self, tile: Coord, address: int, value: int) -> None:
        """One little-endian 32-bit word, modulo 2**32."""
        self._write(tile, address, (value & 0xFFFFFFFF).to_bytes(4, "little"))

    def multicast(self, first: Coord, last: Coord, address: int, data: Readable) -> None:
        """The bytes of ``data`` to every live Tensix tile of the inclusive rectangle."""
        doubts = self._device.multicast(first, last, address, _bytes(data))
        if doubts:
            warnings.warn(doubts, stacklevel=2)

    def read_dram(self, bank: int, offset: int, size: int) -> bytes:
        """``size`` bytes from ``offset`` of a DRAM bank."""
        data = bytearray(size)
        self._device.read_dram(bank, offset, data)
        if self._device.has_not_run():
            warnings.warn(
                "DRAM is read after a go message, and no cycle has passed since: no kernel can "
                "have written there yet. Remedy: run(until=...) first",
                stacklevel=2,
            )
        return bytes(data)

    def write_dram(self, bank: int, offset: int, data: Readable) -> None:
        """The bytes of ``data`` to ``offset`` of a DRAM bank."""
        self._device.write_dram(bank, offset, _bytes(data))

    def set_host_memory(
        self, memory: Union[bytearray, memoryview, np.ndarray], base: int = 0
    ) -> None:
        """Lends ``memory`` to the card: NoC address ``1 << 60 | base`` of the PCIe tile is its
        first byte. Other threads may read and write it while the card runs."""
        self._device.set_host_memory(memory, base)

    # --- Programs and time.

    def boot(self, firmware: str = "") -> None:
        """Boots every tile: the five ELFs in the folder ``firmware``, or bhemu's own.

        Where ``BHEMU_BOOT_CACHE`` names a folder, the first boot of its kind is kept there, and
        later ones go on from it: the card is the same, sooner."""
        self._device.boot(str(firmware))

    def load_elf(self, tile: Coord, core: str, path: str) -> int:
        """Loads an ELF file's segments for ``core`` and returns the entry point."""
        return self._device.load_elf(tile, core, str(path))

    def register_elf(self, path: str) -> None:
        """Has reports look for source lines in this file, or in the ``*.elf`` files below this
        folder: whoever wrote code to a tile, it is found by its bytes. What the environment
        variable ``BHEMU_ELF`` names (comma separated) is registered from the start."""
        self._device.register_elf(str(path))

    def start_core(self, tile: Coord, core: str, pc: int = 0) -> None:
        """Lets ``core`` (``brisc``, ``ncrisc``, ``trisc0`` to ``trisc2``) go from ``pc``."""
        self._device.start_core(tile, core, pc)

    def hold_core(self, tile: Coord, core: str) -> None:
        """Holds ``core`` in reset."""
        self._device.hold_core(tile, core)

    def run(
        self, until: "Callable[[], bool] | None" = None, max_cycles: "int | None" = None
    ) -> None:
        """Runs until ``until()`` is true. It is asked every few hundred cycles and may use this
        device. Raises HangError when nothing can ever happen again, FaultError when a rule is
        broken, LimitError after ``max_cycles``. Ctrl-C interrupts it; SIGUSR1 has it print where
        everything stands, unless the process handles that signal itself."""
        try:
            with self._answering():
                limit = (1 << 64) - 1 if max_cycles is None else max_cycles
                self._device.run(until, limit, _place(until))
        except Standstill as error:
            error.device = self
            raise
        self._tell_doubts()

    def _tell_doubts(self) -> None:
        """To the caller of the method that calls this."""
        if doubts := self._device.doubts():
            warnings.warn(doubts, stacklevel=3)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """SIGUSR1, where Python has it in its hands, is answered with a report."""
        if (
            threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGUSR1) is not signal.SIG_DFL
        ):
            yield
            return
        signal.signal(signal.SIGUSR1, lambda *_: print(self.waiters(), end="", file=sys.stderr))
        try:
            yield
        finally:
            signal.signal(signal.SIGUSR1, signal.SIG_DFL)

    def advance(self, cycles: int) -> None:
        """Lets at least ``cycles`` pass, also when the card idles. Raises FaultError."""
        self._device.advance(cycles)
        self._tell_doubts()

    @property
    def cycle(self) -> int:
        """Cycles of the AI clock since the card was made."""
        return self._device.cycle()

    def hash(self) -> int:
        """A hash of all that a program on the card could see."""
        return self._device.hash()

    # --- Looking inside.

    def core(self, tile: Coord, core: str) -> Core:
        """A core's registers and what it is doing."""
        return Core(**self._device.core(tile, core))

    def dst(self, tile: Coord) -> np.ndarray:
        """Dst as the hardware stores it: uint16 of shape (1024, 16). See ``tensor.dst_to_bf16``."""
        return self._device.registers(tile, "dst16").astype(np.uint16).reshape(1024, 16)

    def src(self, tile: Coord, which: str) -> np.ndarray:
        """The matrix unit's bank of SrcA (``"a"``) or SrcB (``"b"``): float32 of shape (64, 16).

        The numbers are those of the format that the unpacker filled the bank with.
        """
        if which not in ("a", "b"):
            raise ValueError(f"there is no source '{which}', only 'a' and 'b'")
        cells = self._device.registers(tile, "src" + which).reshape(64, 16)
        return source_values(cells, self._device.source_format(tile, "src" + which))

    def lregs(self, tile: Coord) -> np.ndarray:
        """The vector unit's registers: uint32 of shape (17, 32), lanes last."""
        return self._device.registers(tile, "lreg").reshape(17, 32)

    def gprs(self, tile: Coord) -> np.ndarray:
        """The scalar unit's registers: uint32 of shape (3 threads, 64)."""
        return self._device.registers(tile, "gpr").reshape(3, 64)

    def config(self, tile: Coord) -> np.ndarray:
        """Backend configuration: uint32 of shape (2 banks, words)."""
        return self._device.registers(tile, "config").reshape(2, -1)

    def thread_config(self, tile: Coord) -> np.ndarray:
        """Thread configuration: uint32 of shape (3 threads, words)."""
        return self._device.registers(tile, "thread_config").reshape(3, -1)

    def circular_buffers(self, tile: Coord) -> list[CircularBuffer]:
        """The circular buffers of the kernel that ``tile`` was told to run last, as the launch
        message in its L1 says; none before the first launch."""
        return [CircularBuffer(**cb) for cb in self._device.circular_buffers(tile)]

    def faults(self) -> list[Fault]:
        """Broken rules so far, oldest first, warnings too."""
        return [Fault(**fault) for fault in self._device.faults()]

    def clear_faults(self) -> None:
        """Forgets them. Agents that have stopped stay stopped until they are reset."""
        self._device.clear_faults()

    def waiters(self) -> str:
        """Who waits for what and who could release it, as text."""
        return self._device.waiters()

    def why(self, tile: Coord, place: str) -> str:
        """Who wrote ``place`` of ``tile`` last and what it came from, as ``bhemu why`` says it: of
        ``"0x1000+64"``, ``"dst:0"``, ``"srca:3"``, ``"cfg:NAME"``, ``"cb:0"``, ``"sem:1"`` ...
        (docs/DEBUGGING.md). Only of a card made with ``writers=True``."""
        return self._device.why(tile, place)

    def watch(self, tile: Coord, place: str, access: str = "w") -> None:
        """From now on :meth:`watched` has every access to ``place`` of ``tile``: a place as
        :meth:`why` takes it; ``access`` is ``"w"``, ``"r"`` or ``"rw"``. The card is several times
        slower then."""
        self._device.watch(f"{tile[0]}-{tile[1]}:{place}:{access}")

    def watched(self) -> list[Access]:
        """The accesses to watched places since this was asked last, in the order of time. It may
        be asked in a condition of ``run``: ``card.run(until=lambda: seen.extend(card.watched())
        or seen)``."""
        return [Access(**hit) for hit in self._device.watched()]

    # --- Copies.

    def snapshot(self) -> bytes:
        """All state of the card (without host memory)."""
        return self._device.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Takes over a snapshot of a card with the same board, harvesting and timing."""
        self._device.restore(snapshot)

    def clone(self) -> "Device":
        """A second card in the same state."""
        return Device(_native_device=self._device.clone())

    def __repr__(self) -> str:
        return f"<bhemu.Device {self.board}, cycle {self.cycle}>"

    def _repr_html_(self) -> str:
        """The grid in notebooks, with the state of every core."""
        return f"<p>{self.board}, cycle {self.cycle:,}</p>{self._device.grid(None)}"


class Tile:
    """A Tensix tile of a card: the card's methods without the coordinates."""

    def __init__(self, device: Device, coord: Coord) -> None:
        if coord not in device.tensix_tiles:
            raise InputError(f"there is no Tensix tile at {coord}")
        self.device = device
        self.coord = coord

    def read(self, address: int, size: int) -> bytes:
        """``size`` bytes of L1 or registers."""
        return self.device.read(self.coord, address, size)

    def read_array(self, address: int, shape, dtype=np.uint32) -> np.ndarray:
        """An array of ``shape`` and ``dtype``."""
        return self.device.read_array(self.coord, address, shape, dtype)

    def write(self, address: int, data: Readable) -> None:
        """The bytes of ``data``."""
        self.device.write(self.coord, address, data)

    def read32(self, address: int) -> int:
        """One little-endian 32-bit word."""
        return self.device.read32(self.coord, address)

    def write32(self, address: int, value: int) -> None:
        """One little-endian 32-bit word, modulo 2**32."""
        self.device.write32(self.coord, address, value)

    @property
    def l1(self) -> np.ndarray:
        """A copy of L1: uint8 of shape (1572864,)."""
        return self.read_array(0, L1_BYTES, np.uint8)

    def load_elf(self, core: str, path: str) -> int:
        """Loads an ELF file's segments for ``core`` and returns the entry point."""
        return self.device.load_elf(self.coord, core, path)

    def start_core(self, core: str, pc: int = 0) -> None:
        """Lets ``core`` go from ``pc``."""
        self.device.start_core(self.coord, core, pc)

    def hold_core(self, core: str) -> None:
        """Holds ``core`` in reset."""
        self.device.hold_core(self.coord, core)

    def core(self, core: str) -> Core:
        """A core's registers and what it is doing."""
        return self.device.core(self.coord, core)

    @property
    def dst(self) -> np.ndarray:
        """Dst as the hardware stores it: uint16 of shape (1024, 16)."""
        return self.device.dst(self.coord)

    def src(self, which: str) -> np.ndarray:
        """The matrix unit's bank of SrcA or SrcB: float32 of shape (64, 16)."""
        return self.device.src(self.coord, which)

    @property
    def lregs(self) -> np.ndarray:
        """The vector unit's registers: uint32 of shape (17, 32)."""
        return self.device.lregs(self.coord)

    @property
    def gprs(self) -> np.ndarray:
        """The scalar unit's registers: uint32 of shape (3 threads, 64)."""
        return self.device.gprs(self.coord)

    @property
    def config(self) -> np.ndarray:
        """Backend configuration: uint32 of shape (2 banks, words)."""
        return self.device.config(self.coord)

    @property
    def thread_config(self) -> np.ndarray:
        """Thread configuration: uint32 of shape (3 threads, words)."""
        return self.device.thread_config(self.coord)

    def why(self, place: str) -> str:
        """Who wrote ``place`` last, see :meth:`Device.why`."""
        return self.device.why(self.coord, place)

    @property
    def circular_buffers(self) -> list[CircularBuffer]:
        """Those of the kernel that the tile was told to run last."""
        return self.device.circular_buffers(self.coord)

    def __repr__(self) -> str:
        return f"<bhemu.Tile {self.coord} of {self.device!r}>"

    def _repr_html_(self) -> str:
        """The tile as in the grid of its card, and where its cores stand."""
        return self.device._device.grid(self.coord)


def settings(
    board: str,
    harvest_dram: str,
    harvest_columns: str,
    timing: str,
    threads: int,
    rules: Sequence[str],
    seed: int = 0,
    check: str = "",
) -> "_native.Settings":
    """The same options for the native side."""
    result = _native.Settings()
    result.board = board
    result.harvest_dram = harvest_dram
    result.harvest_columns = harvest_columns
    result.timing = timing
    result.threads = threads
    result.rules = list(rules)
    result.seed = seed
    result.check = check
    return result
