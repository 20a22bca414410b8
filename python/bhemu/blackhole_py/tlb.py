"""The module ``tlb`` of blackhole-py's January 2026 generation: windows with two mappings.

Facts: boopdotpng/blackhole-py of January 2026, tlb.py, configs.py and their callers device.py,
dram.py and fanctl.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional

from bhemu.blackhole_py import abi
from bhemu.blackhole_py.nodes import NODES

Coord = tuple[int, int]
_LAST_X, _LAST_Y = 16, 11  # NoC 1 counts from the other corner


class TLBSize(Enum):
    """The two sizes of windows: of BAR 0 and of BAR 4."""

    MiB_2 = 1 << 21
    GiB_4 = 1 << 32


class TLBMode(Enum):
    """(ordering, static VC): ordering 0 is relaxed, 1 strict, 2 posted."""

    STRICT = (1, 0)
    BULK = (0, 0)
    POSTED = (2, 0)
    ORDERED_BULK = (1, 0)  # another name of STRICT


@dataclass
class TLBConfig:
    """Where a window points: ``addr`` (a multiple of its size) of the tile ``start``, or with
    ``mcast`` of all tiles from ``start`` to ``end``."""

    addr: int
    start: Optional[Coord] = None
    end: Optional[Coord] = None
    noc: int = 0
    mcast: bool = False
    mode: TLBMode = TLBMode.BULK

    def to_struct(self) -> abi.NocTlbConfig:
        """As the driver takes it."""
        if self.start is None or self.end is None:
            raise ValueError("tlb start/end must be set before configure")
        (x0, y0), (x1, y1) = self.start, self.end
        if self.noc == 1:
            x0, y0, x1, y1 = _LAST_X - x0, _LAST_Y - y0, _LAST_X - x1, _LAST_Y - y1
        ordering, static_vc = self.mode.value
        return abi.NocTlbConfig(addr=self.addr, x_start=x0, y_start=y0, x_end=x1, y_end=y1,
                                noc=self.noc, mcast=int(self.mcast), ordering=ordering,
                                static_vc=static_vc)


class TLBWindow:
    """A window with its uncached mapping ``uc`` and its write-combining one ``wc``."""

    def __init__(self, fd: int, size: TLBSize, config: Optional[TLBConfig] = None) -> None:
        self.fd, self.size = fd, size.value
        self.config: Optional[TLBConfig] = None
        data = abi.AllocateTlbData(size=self.size)
        NODES.ioctl(fd, abi.request(abi.ALLOCATE_TLB), data)
        self.tlb_id = data.id
        self.uc = NODES.map(fd, self.size, data.mmap_offset_uc)
        self.wc = NODES.map(fd, self.size, data.mmap_offset_wc)
        if config is not None:
            self.configure(config)

    def configure(self, config: TLBConfig) -> None:
        """Aims it."""
        assert config.addr & (self.size - 1) == 0, f"tlb addr must be {self.size}-aligned"
        data = abi.ConfigureTlbData(id=self.tlb_id, config=config.to_struct())
        NODES.ioctl(self.fd, abi.request(abi.CONFIGURE_TLB), data)
        self.config = config

    def write(self, addr: int, data: bytes, use_uc: bool = False, restore: bool = True) -> None:
        """``data`` to ``addr`` of the tile: the window is moved there, on as far as needed, and
        back if ``restore``."""
        if not data:
            return
        if self.config is None:
            raise RuntimeError("tlb window has no active config")
        config, before = self.config, self.config.addr
        mapping, rest = self.uc if use_uc else self.wc, memoryview(data)
        try:
            while rest:
                offset = addr % self.size
                config.addr = addr - offset
                self.configure(config)
                count = min(len(rest), self.size - offset)
                mapping.write_at(offset, rest[:count])
                addr, rest = addr + count, rest[count:]
        finally:
            if restore:
                config.addr = before
                self.configure(config)

    def readi32(self, offset: int) -> int:
        """A word of the window."""
        return int.from_bytes(self.uc[offset : offset + 4], "little")

    def writei32(self, offset: int, value: int) -> None:
        """A word to the window."""
        self.uc[offset : offset + 4] = value.to_bytes(4, "little")

    def free(self) -> None:
        """Gives it back."""
        self.uc.close()
        self.wc.close()
        NODES.give_back(self.fd, abi.request(abi.FREE_TLB), abi.FreeTlbData(id=self.tlb_id))

    def __enter__(self) -> "TLBWindow":
        return self

    def __exit__(self, *_) -> None:
        self.free()
