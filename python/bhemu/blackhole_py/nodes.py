"""/dev/tenstorrent of this process: emulated cards, opened, asked and mapped as files are.

The file descriptors are real ones (of the null device), so that they collide with no other; what is
behind them only these functions know.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from typing import Optional, Union

from bhemu import _native
from bhemu.errors import FaultError, InputError

# As they are before anybody replaces them (see __main__.py).
_open, _close = os.open, os.close

DEVICES = "/dev/tenstorrent"
CLASS = "/sys/class/tenstorrent"
_SMALL_STRUCTURE = 1024
"""Up to here Python's ioctl hands the driver a copy of this size, whatever the caller's is."""


class Card:
    """An emulated card that runs in its own thread from its making, as one in a slot does.

    What is not given comes from the environment (``BHEMU_BOARD``, ``BHEMU_HARVEST_DRAM``,
    ``BHEMU_HARVEST_COLUMNS``, ``BHEMU_THREADS``, ``BHEMU_TIMING``, ``BHEMU_SEED``, ``BHEMU_RULE``,
    ``BHEMU_FAULTS``, ``BHEMU_CONFIG``). ``faults`` is ``throw`` (a broken rule raises FaultError,
    an access that nothing answers InputError), ``report`` or ``exit``.
    """

    def __init__(
        self,
        board: Optional[str] = None,
        *,
        harvest_dram: Optional[str] = None,
        harvest_columns: Optional[str] = None,
        timing: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
        rules: Optional[list[str]] = None,
        faults: Optional[str] = None,
        index: int = 0,
    ) -> None:
        settings = _native.CardSettings.from_environment()
        device = settings.device
        given = dict(board=board, harvest_dram=harvest_dram, harvest_columns=harvest_columns,
                     timing=timing, threads=threads, seed=seed)
        for name, value in given.items():
            if value is not None:
                setattr(device, name, value)
        if rules is not None:
            device.rules = [*device.rules, *rules]
        settings.device = device
        if faults is not None:
            settings.faults = faults
        self.native = _native.Card(settings, index)
        self.path = self.native.device_path()

    @property
    def board(self) -> str:
        """``"P100A"`` or ``"P150"``."""
        return self.native.board()

    @property
    def cycle(self) -> int:
        """Cycles of the AI clock since power on."""
        return self.native.cycle()

    def where_everything_stands(self) -> str:
        """The report of a hang, of whatever the card is doing; what SIGUSR1 and Ctrl-C print."""
        return self.native.where_everything_stands()

    @property
    def failure(self) -> str:
        """The last report of a broken rule or a refused access; empty: none."""
        return self.native.failure()


class Mapping:
    """What mmap gives for a window or a BAR: bytes by index and slice. Every read and write goes
    to the card at once, as one access when it is a power of two up to 8 bytes and aligned. It has
    no address: who needs one needs ``bhemu shim``."""

    def __init__(self, card: Card, file: "_native.File", length: int, offset: int) -> None:
        self._bar, self._base, size = file.map(offset, length)
        self._native, self._file, self._offset = card.native, file, offset
        self._length = min(length, size)
        self.closed = False

    def __len__(self) -> int:
        return self._length

    size = __len__

    def read_at(self, offset: int, count: int) -> bytes:
        """``count`` bytes from ``offset``."""
        data = bytearray(count)
        self._native.read(self._bar, self._place(offset, count), data)
        return bytes(data)

    def write_at(self, offset: int, data: Union[bytes, bytearray, memoryview]) -> None:
        """The bytes of ``data`` from ``offset``."""
        if len(data):
            self._native.write(self._bar, self._place(offset, len(data)), data)

    def __getitem__(self, key: Union[int, slice]) -> Union[int, bytes]:
        if isinstance(key, slice):
            places = range(*key.indices(self._length))
            if places.step == 1:
                return self.read_at(places.start, len(places)) if len(places) else b""
            return bytes(self.read_at(place, 1)[0] for place in places)
        return self.read_at(self._index(key), 1)[0]

    def __setitem__(self, key: Union[int, slice], value) -> None:
        if not isinstance(key, slice):
            return self.write_at(self._index(key), bytes((value,)))
        places = range(*key.indices(self._length))
        data = memoryview(value).cast("B")
        if len(data) != len(places):
            raise IndexError("mmap slice assignment is wrong size")
        if places.step == 1:
            return self.write_at(places.start, data)
        for place, byte in zip(places, data):
            self.write_at(place, bytes((byte,)))

    def flush(self, offset: int = 0, size: int = 0) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Unmaps it."""
        if not self.closed:
            self.closed = True
            self._file.unmap(self._offset, self._length)

    def __enter__(self) -> "Mapping":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def _index(self, index: int) -> int:
        place = index + self._length if index < 0 else index
        if not 0 <= place < self._length:
            raise IndexError("mmap index out of range")
        return place

    def _place(self, offset: int, count: int) -> int:
        if self.closed:
            raise ValueError("mmap closed or invalid")
        if offset < 0 or count < 0 or offset + count > self._length:
            raise InputError(f"bytes {offset:#x} to {offset + count:#x} lie outside the mapping "
                             f"of {self._length:#x} bytes")
        return self._base + offset


class Nodes:
    """The cards by number and the open files by descriptor. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cards: dict[int, Card] = {}
        self._files: dict[int, tuple[Card, _native.File]] = {}

    def card(self, index: int = 0) -> Card:
        """Card ``index``, put in its slot when somebody first asks. Only card 0 exists unless
        ``insert`` put others in."""
        with self._lock:
            if index not in self._cards:
                if index != 0:
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT),
                                            f"{DEVICES}/{index}")
                self._cards[index] = Card()
            return self._cards[index]

    def insert(self, card: Card, index: int = 0) -> Card:
        """Puts ``card`` in place of what was in slot ``index``."""
        with self._lock:
            self._cards[index] = card
        return card

    def indices(self) -> list[int]:
        """The slots with a card."""
        with self._lock:
            return sorted({0, *self._cards})

    def card_of_path(self, path: str) -> Optional[int]:
        """N of /dev/tenstorrent/N."""
        head, _, name = path.rpartition("/")
        return int(name) if head == DEVICES and name.isdecimal() else None

    def open(self, path: str, flags: int = os.O_RDWR) -> int:
        """Opens /dev/tenstorrent/N."""
        index = self.card_of_path(path)
        if index is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        card = self.card(index)
        file = _native.File(card.native, flags)
        fd = _open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        with self._lock:
            self._files[fd] = (card, file)
        self._take_ctrl_c()
        return fd

    def owns(self, fd: int) -> bool:
        """Whether ``fd`` came from here."""
        return fd in self._files

    def close(self, fd: int) -> None:
        """Closes it: windows and pinned memory go back."""
        with self._lock:
            entry = self._files.pop(fd, None)
        if entry is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        entry[1].close()
        _close(fd)
        if not self._files:
            self._give_ctrl_c_back()

    def _take_ctrl_c(self) -> None:
        """Python's own KeyboardInterrupt says nothing of the card, so what stands where is printed
        before it. Left alone is a program that handles SIGINT itself, or opens the card in another
        thread."""
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            signal.signal(signal.SIGINT, self._interrupted)

    def _give_ctrl_c_back(self) -> None:
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) == self._interrupted
        ):
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _interrupted(self, number: int, frame) -> None:
        self._give_ctrl_c_back()  # a second one ends it at once
        for card in {id(card): card for card, _ in list(self._files.values())}.values():
            print("bhemu:", card.where_everything_stands(), end="", file=sys.stderr, flush=True)
        signal.default_int_handler(number, frame)

    def ioctl(self, fd: int, request: int, argument=0, mutate: bool = True) -> Union[int, bytes]:
        """As ``fcntl.ioctl`` with a buffer: changed in place if it can be, else a copy comes
        back."""
        _, file = self._entry(fd)
        if isinstance(argument, int):
            raise TypeError("the requests of this driver take a structure")
        view = memoryview(argument).cast("B")
        structure = bytearray(max(len(view), _SMALL_STRUCTURE))
        structure[: len(view)] = view
        file.ioctl(request, structure)
        if not view.readonly and mutate:
            view[:] = structure[: len(view)]
            return 0
        return bytes(structure[: len(view)])

    def give_back(self, fd: int, request: int, argument) -> None:
        """A request that releases something. A card that has stopped, and has said why, needs
        none."""
        card, _ = self._entry(fd)
        known = card.native.reported()
        try:
            self.ioctl(fd, request, argument)
        except FaultError:
            if not known:
                raise
        except OSError:
            if card.native.answers():
                raise

    def map(self, fd: int, length: int, offset: int) -> Mapping:
        """As mmap of the open file."""
        card, file = self._entry(fd)
        return Mapping(card, file, length, offset)

    def attribute(self, path: str) -> Optional[str]:
        """The text of a file that the driver makes in sysfs; none: there is no such file."""
        for index in self.indices():
            text = self.card(index).native.attribute(path)
            if text is not None:
                return text
        return None

    def _entry(self, fd: int) -> "tuple[Card, _native.File]":
        try:
            return self._files[fd]
        except KeyError:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF)) from None


NODES = Nodes()
"""Those of this process, as /dev is one per machine."""
