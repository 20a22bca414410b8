"""A program under way on a card: stopped, looked at, gone on with."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Mapping, Optional, Union

import numpy as np

from bhemu import tensor as tensors_of
from bhemu.device import CORES, Coord
from bhemu.errors import InputError, Standstill

if TYPE_CHECKING:
    from bhemu.device import Device

EPOCH = 256
"""Cycles between two moments at which the host can act (docs/ARCHITECTURE.md)."""

FORMATS = ("raw", "bf16", "fp16", "fp32", "int32")


def _count(value: int, what: str) -> int:
    if isinstance(value, bool) or int(value) != value or value < 0:
        raise ValueError(f"{what} must be a whole number that is not negative, not {value!r}")
    return int(value)


def _input(name: str, array) -> np.ndarray:
    array = np.asarray(array)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise InputError(
            f"input '{name}' is an array of {array.dtype}, which is no tensor of numbers. Remedy: "
            "give whole numbers or floats (astype)"
        )
    return array


@dataclass(frozen=True)
class Hit:
    """A core that came by a program counter: its tile, the cycle, and its integer registers just
    before the instruction there."""

    tile: Coord
    core: str
    pc: int
    cycle: int
    x: list[int]


@dataclass(frozen=True)
class Semaphore:
    value: int
    maximum: int


@dataclass(frozen=True)
class Thread:
    """A thread of the coprocessor: instructions executed, the word that waits, and for what."""

    executed: int
    waiting: bool
    instruction: int
    what: str


@dataclass(frozen=True)
class Requests:
    """What an interface of NoC ``noc`` (0 or 1) waits for: ``count`` answers of one ``kind``
    (``"read"``, ``"write"`` ...) from ``node``, at ``coord``; the oldest was for ``address`` and
    issued in cycle ``since``."""

    noc: int
    kind: str
    count: int
    node: str
    coord: Coord
    address: int
    since: int


class Session:
    """A program that was written to a booted card and told to go; no cycle has passed yet.

    ``inputs`` are arrays that take the place of tensors of the program, by name. Several sessions
    may follow each other on one boot; a new one means that the one before is over.
    """

    def __init__(
        self, path: "str | Path", device: "Device", inputs: Optional[Mapping] = None
    ) -> None:
        self.path = Path(path)
        self.device = device
        self._native = device._device
        with tempfile.TemporaryDirectory() as folder:
            files = {}
            for index, (name, array) in enumerate((inputs or {}).items()):
                files[name] = str(Path(folder) / f"{index}.npy")
                np.save(files[name], _input(name, array))
            self.tiles: list[Coord] = self._native.load_program(str(self.path), files)
        # What the device knows of its last session; not the session, which would be a circle.
        self._token = device._latest = [self.path]

    def _check_latest(self) -> None:
        latest = self.device._latest
        if latest is not self._token:
            other = "another program" if latest is None else latest[0]
            raise InputError(
                f"the session of {self.path} is over, since {other} was loaded to the device after "
                "it. Remedy: bring a session to its end and read its results before the next is "
                "loaded, or give each its own device (clone)"
            )

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind, value, traceback) -> None:
        """A program that is under way is brought to its end, unless something was raised."""
        if kind is None and not self.done:
            self.run()

    # --- Time.

    @property
    def done(self) -> bool:
        """Every tile says so."""
        self._check_latest()
        return self._native.program_done()

    def run(self, max_cycles: Optional[int] = None) -> None:
        """Until the program is done. Raises HangError, FaultError and LimitError."""
        self._run([], "", 0, max_cycles)

    def step(self, cycles: int = EPOCH) -> None:
        """Lets at least so many cycles pass, to the next edge of an epoch."""
        self.device.advance(_count(cycles, "cycles"))

    def run_until(
        self,
        *,
        pc: Optional[int] = None,
        symbol: Optional[str] = None,
        cycle: Optional[int] = None,
        cb: Optional[tuple[int, int]] = None,
        condition: Optional[Callable[[], bool]] = None,
        core: str = "brisc",
        tile: Optional[Coord] = None,
        max_cycles: Optional[int] = None,
    ) -> Optional[Hit]:
        """Until one of these, or until the program is done:

        - ``pc``: ``core`` of ``tile`` (without one: of any of the program's tiles) comes by this
          address; ``symbol``: by the start of this function of its kernel. The Hit tells of the
          core as it was there; the card stands at the next edge of an epoch.
        - ``cycle``: the clock shows at least this.
        - ``cb``: circular buffer (index, pages) of ``tile`` (without one: of the program's first)
          has been given so many pages in all.
        - ``condition()`` holds; it is asked at edges and may use the card.
        """
        given = [each for each in (pc, symbol, cycle, cb, condition) if each is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of pc, symbol, cycle, cb and condition")
        if core not in CORES:
            raise ValueError(f"there is no core {core!r}, only {', '.join(CORES)}")
        tiles = self.tiles if tile is None else [tile]
        if symbol is not None:
            pc = self._native.symbol(core, symbol)
        if pc is not None:
            found = self._run(tiles, core, _count(pc, "pc"), max_cycles)
            return None if found is None else Hit(core=core, pc=pc, **found)
        if cycle is not None:
            cycle = _count(cycle, "cycle")
            condition = lambda: self.device.cycle >= cycle  # noqa: E731
        elif cb is not None:
            index, pages = _count(cb[0], "cb"), _count(cb[1], "pages")
            at = tiles[0]
            if index not in {each.index for each in self.device.circular_buffers(at)}:
                raise ValueError(f"the program has no circular buffer {index}")
            condition = lambda: self._received(at, index) >= pages  # noqa: E731

        def holds() -> bool:
            return condition() or self.done

        holds.asks = condition  # whose place a report tells
        self.device.run(until=holds, max_cycles=max_cycles)
        return None

    def _received(self, tile: Coord, index: int) -> int:
        return next(b.received for b in self.device.circular_buffers(tile) if b.index == index)

    def _run(self, tiles: list, core: str, pc: int, max_cycles: Optional[int]):
        self._check_latest()
        limit = (1 << 64) - 1 if max_cycles is None else _count(max_cycles, "max_cycles")
        if pc >= 1 << 32:
            raise ValueError(f"pc {pc:#x} has more than 32 bits")
        try:
            with self.device._answering():
                return self._native.run_program(tiles, core, pc, limit)
        except Standstill as error:
            error.device = self.device
            raise

    # --- What there is to see.

    def semaphores(self, tile: Coord) -> list[Semaphore]:
        """The eight of the coprocessor."""
        return [Semaphore(*each) for each in self._native.sync(tile)["semaphores"]]

    def mutexes(self, tile: Coord) -> dict[int, int]:
        """The threads that hold one, by its number."""
        return self._native.sync(tile)["mutexes"]

    def threads(self, tile: Coord) -> list[Thread]:
        return [Thread(**each) for each in self._native.sync(tile)["threads"]]

    def noc(self, tile: Coord) -> list[Requests]:
        """Requests of the tile that are under way: asked for an answer, and not answered yet."""
        return [Requests(**each) for each in self._native.sync(tile)["noc"]]

    def dst(self, tile: Coord, format: str = "bf16", tile_layout: bool = False) -> np.ndarray:
        """Dst as numbers, (rows, 16): 1024 rows of ``bf16`` or ``fp16``, 512 of ``fp32`` or
        ``int32``, or ``raw`` as stored. With ``tile_layout``, matrices: (tiles, 32, 32)."""
        if format not in FORMATS:
            raise ValueError(f"there is no format {format!r}, only {', '.join(FORMATS)}")
        cells = self.device.dst(tile)
        if format == "bf16":
            rows = tensors_of.dst_to_bf16(cells)
        elif format == "fp16":
            bits = cells.astype(np.uint16)
            bits = (bits & 0x8000) | (bits & 0x1F) << 10 | (bits >> 5 & 0x3FF)
            rows = bits.astype(np.uint16).view(np.float16).astype(np.float32)
        elif format == "raw":
            rows = cells
        else:
            # High halves are in 8 rows of 16, their low halves in the other 8 (Dst.md).
            pairs = cells.reshape(-1, 2, 8, 16).astype(np.uint32)
            word = pairs[:, 0] << 16 | pairs[:, 1]
            word = (word & 0x8000FFFF) | (word & 0x00FF0000) << 7 | (word & 0x7F000000) >> 8
            rows = word.reshape(-1, 16).view(np.float32 if format == "fp32" else np.int32)
        if not tile_layout:
            return rows
        # Four faces of 16 rows: top left, top right, bottom left, bottom right.
        faces = rows.reshape(-1, 2, 2, 16, 16)
        return faces.transpose(0, 1, 3, 2, 4).reshape(-1, 32, 32)

    def tensors(self) -> dict[str, np.ndarray]:
        """Every tensor of the program as it is on the card now, by name."""
        self._check_latest()
        with tempfile.TemporaryDirectory() as folder:
            self._native.save_tensors(folder)
            return {path.stem: np.load(path) for path in Path(folder).glob("*.npy")}

    def check(self) -> dict[str, Union[bool, str]]:
        """What the program expects: True, or what differs."""
        self._check_latest()
        return {what: passed or detail for what, passed, detail in self._native.check_program()}
