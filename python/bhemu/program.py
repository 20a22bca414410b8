"""Program files, as ``bhemu run`` takes them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable

import numpy as np

from bhemu import _native
from bhemu.device import Device, Fault, settings
from bhemu.errors import FaultError, HangError
from bhemu.session import Session


@dataclass(frozen=True)
class Race:
    """A finding of the race detector (docs/RACES.md). ``row`` is that of docs/ORDERING.md."""

    kind: str
    row: int
    text: str = field(repr=False)
    suppressed: str
    tiles: "list[tuple[int, int]]"


@dataclass(frozen=True)
class Result:
    """What came of a program. ``status`` is ``ok``, ``wrong-result``, ``hang`` or ``fault``;
    ``tensors`` are those that the program saves, by file name without ``.npy``."""

    status: str
    board: str
    boot_cycles: int
    cycles: int
    riscv_instructions: int
    tensix_instructions: int
    noc_bytes: int
    explanation: str
    faults: list[Fault] = field(repr=False)
    tensors: dict[str, np.ndarray] = field(repr=False)
    first_cause: "dict | None" = field(default=None, repr=False)  # of a hang, as in HangError
    waiters: list[dict] = field(default_factory=list, repr=False)
    why: list[str] = field(default_factory=list, repr=False)  # an answer for each question
    races: list[Race] = field(default_factory=list)  # with ``race``
    printed: list[tuple] = field(default_factory=list, repr=False)  # tile, core, cycle, text
    device: "Device | None" = field(default=None, repr=False)  # of a hang or fault, as it stands

    @property
    def ok(self) -> bool:
        """Everything that the program expects came true."""
        return self.status == "ok"


class Program:
    """A program file (docs/PROGRAMS.md)."""

    def __init__(self, path: "str | Path") -> None:
        self.path = Path(path)

    def load(self, device: "Device", inputs: "dict | None" = None) -> Session:
        """Writes the program to a booted card and tells it to go: see Session. ``inputs`` are
        arrays that take the place of its tensors, by name."""
        return Session(self.path, device, inputs)

    def run(
        self,
        board: str = "",
        *,
        firmware: str = "",
        harvest_dram: str = "",
        harvest_columns: str = "",
        timing: str = "fast",
        threads: int = 1,
        seed: int = 0,
        rules: Iterable[str] = (),
        max_cycles: int = 0,
        check: "bool | str" = True,
        why: Iterable[str] = (),
        race: "bool | str" = False,
    ) -> Result:
        """Boots a card, runs the program, compares its results. ``board`` empty: the program's
        own. Unless ``check`` is False, a hang raises HangError and a fault FaultError; a wrong
        result is a Result either way. Both errors, and a Result with such a status, have the
        ``device`` as it stands, to look at. ``check`` as text says what is looked for that silicon
        lets pass, like ``"all"`` (docs/DEBUGGING.md, Checks). ``Result.printed`` has what kernels
        PRINT: tile, core, cycle, text. ``why`` asks who wrote something last, like
        ``["1-2 0x1000+64", "1-2 dst:0"]``; ``Result.why`` has the answers (docs/DEBUGGING.md).
        ``race``: True or a level ("custom", "documented") looks for accesses that nothing puts in
        order; ``Result.races`` has them."""
        with tempfile.TemporaryDirectory() as output:
            outcome = _native.run_program(
                str(self.path),
                settings(
                    board,
                    harvest_dram,
                    harvest_columns,
                    timing,
                    threads,
                    list(rules),
                    seed,
                    check if isinstance(check, str) else "",
                ),
                str(firmware),
                output,
                max_cycles,
                list(why),
                "custom" if race is True else race or "",
            )
            outcome["tensors"] = {Path(p).stem: np.load(p) for p in outcome.pop("saved")}
        if outcome["device"] is not None:
            outcome["device"] = Device(_native_device=outcome["device"])
        outcome["faults"] = [Fault(**fault) for fault in outcome["faults"]]
        outcome["races"] = [Race(**one) for one in outcome["races"]]
        result = Result(**outcome)
        if check is not False and result.status == "hang":
            error = HangError(result.explanation)
            error.first_cause, error.waiters = result.first_cause, result.waiters
            error.device = result.device
            raise error
        if check is not False and result.status == "fault":
            error = FaultError(result.explanation)
            error.first_cause, error.device = result.first_cause, result.device
            raise error
        return result


def run(path: "str | Path", board: str = "", **options) -> Result:
    """``Program(path).run(board, ...)``."""
    return Program(path).run(board, **options)
