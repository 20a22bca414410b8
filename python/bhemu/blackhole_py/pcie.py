"""blackhole-py's module ``pcie``: the card, its windows, memory shared with it.

Facts: boopdotpng/blackhole-py, pcie.py and its callers device.py and cq.py of July 2026. Beyond
those: cards other than the P100A are taken too, and ``Sysmem.buffer`` is the shared memory.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from ctypes import sizeof
from types import SimpleNamespace
from typing import Optional, Union

from bhemu.blackhole_py import abi
from bhemu.blackhole_py.nodes import CLASS, DEVICES, NODES

_mmap = mmap.mmap
Coord = tuple[int, int]


def _ask(fd: int, number: int, data: ctypes.Structure) -> ctypes.Structure:
    NODES.ioctl(fd, abi.request(number), data)
    return data


def _give_back(fd: int, number: int, data: ctypes.Structure) -> None:
    NODES.give_back(fd, abi.request(number), data)


# The requests, called like functions: request(fd, field=value, ...).


def AllocateTlb(fd: int, size: int = 1 << 21) -> SimpleNamespace:
    """A window: its ``id``, ``mmap_offset_uc`` and ``mmap_offset_wc``."""
    data = _ask(fd, abi.ALLOCATE_TLB, abi.AllocateTlbData(size=size))
    return SimpleNamespace(id=data.id, mmap_offset_uc=data.mmap_offset_uc,
                           mmap_offset_wc=data.mmap_offset_wc)


def FreeTlb(fd: int, id: int) -> None:
    """Gives window ``id`` back; it must not be mapped."""
    _give_back(fd, abi.FREE_TLB, abi.FreeTlbData(id=id))


def ConfigureTlb(fd: int, id: int, addr: int, start: Coord, end: Optional[Coord] = None) -> None:
    """Aims window ``id`` at ``addr`` of tile ``start``, or of all Tensix tiles of the rectangle
    from ``start`` to ``end``; strictly ordered, on NoC 0."""
    end = start if end is None else end
    config = abi.NocTlbConfig(addr=addr, x_start=start[0], y_start=start[1], x_end=end[0],
                              y_end=end[1], mcast=int(tuple(start) != tuple(end)), ordering=1)
    _ask(fd, abi.CONFIGURE_TLB, abi.ConfigureTlbData(id=id, config=config))


def PinPages(fd: int, virtual_address: int, size: int) -> SimpleNamespace:
    """Lends memory of this process to the card, at ``noc_address`` of the PCIe tile."""
    data = abi.PinPagesData(output_size_bytes=16, flags=abi.PIN_NOC_DMA,
                            virtual_address=virtual_address, size=size)
    return SimpleNamespace(noc_address=_ask(fd, abi.PIN_PAGES, data).noc_address)


def UnpinPages(fd: int, virtual_address: int, size: int) -> None:
    """Takes it away again."""
    data = abi.UnpinPagesData(virtual_address=virtual_address, size=size)
    _give_back(fd, abi.UNPIN_PAGES, data)


def SetPowerState(fd: int, power_flags: int) -> None:
    """What this client wants powered: bit 0 is the clock at its highest."""
    data = abi.PowerStateData(validity=abi.POWER_FLAGS, power_flags=power_flags)
    data.argsz = sizeof(data)
    (_ask if power_flags else _give_back)(fd, abi.SET_POWER_STATE, data)


class BumpAllocator:
    """Hands out offsets from ``start`` on, never back."""

    def __init__(self, size: int, start: int = 0) -> None:
        self.next, self.end = start, start + size

    def alloc(self, size: int, alignment: int = 1) -> int:
        """The offset of ``size`` bytes, a multiple of ``alignment`` (a power of two)."""
        offset = (self.next + alignment - 1) & -alignment
        if offset + size > self.end:
            raise MemoryError("allocator is out of memory")
        self.next = offset + size
        return offset


class Sysmem:
    """Memory that host and card share. The card sees byte ``n`` of it at NoC address
    ``noc_addr + n`` of the PCIe tile, bit 60 included; ``buffer`` is a view of it."""

    PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")

    def __init__(self, fd: int, size: int = 1 << 30) -> None:
        self.fd = fd
        self.size = (size + self.PAGE_SIZE - 1) & -self.PAGE_SIZE
        self.allocator = BumpAllocator(self.size)
        self._memory = _mmap(-1, self.size)  # costs nothing until it is touched
        self.buffer = memoryview(self._memory)
        anchor = ctypes.c_char.from_buffer(self._memory)
        self.addr: Optional[int] = ctypes.addressof(anchor)
        del anchor
        self.noc_addr: Optional[int] = None
        try:
            self.noc_addr = PinPages(fd, virtual_address=self.addr, size=self.size).noc_address
        except Exception:
            self._unmap()
            raise

    def alloc(self, size: int, alignment: int = PAGE_SIZE) -> int:
        """The offset of ``size`` unused bytes."""
        return self.allocator.alloc(size, alignment)

    def read(self, offset: int, size: int) -> bytes:
        """A copy of ``size`` bytes."""
        return bytes(self.buffer[offset : offset + size])

    def write(self, offset: int, data: bytes) -> None:
        """The bytes of ``data`` to ``offset``."""
        self.buffer[offset : offset + len(data)] = data

    def flush(self) -> None:
        """Nothing waits: the card reads this very memory."""

    def close(self) -> None:
        """Takes it from the card."""
        if self.noc_addr is not None:
            UnpinPages(self.fd, virtual_address=self.addr, size=self.size)
            self.noc_addr = None
        if self.addr is not None:
            self._unmap()

    def _unmap(self) -> None:
        self.addr = None
        self.buffer.release()
        try:
            self._memory.close()
        except BufferError:  # somebody has a view of it, who keeps it
            pass


class TLBWindow:
    """A window of 2 MiB onto a tile, of any size and alignment of access."""

    SIZE = 1 << 21
    USER_ID_LIMIT = 201  # the driver's own is 201

    def __init__(self, fd: int, core: Coord) -> None:
        tlb = AllocateTlb(fd)
        self.fd, self.id, self.core = fd, tlb.id, core
        if self.id >= self.USER_ID_LIMIT:
            FreeTlb(fd, id=self.id)
            raise RuntimeError(f"driver returned reserved TLB id {self.id}")
        self.addr = NODES.map(fd, self.SIZE, tlb.mmap_offset_uc)

    def target(
        self, addr: int, start: Optional[Coord] = None, end: Optional[Coord] = None
    ) -> None:
        """Aims it at ``addr`` (a multiple of 2 MiB) of the tile it was made for, of another, or
        of a rectangle of them."""
        ConfigureTlb(self.fd, id=self.id, addr=addr, start=self.core if start is None else start,
                     end=end)

    def read(self, offset: int, bytes: int = 4) -> "bytes":
        """``bytes`` bytes from ``offset``."""
        return self._open().read_at(offset, bytes)

    def write(self, offset: int, value: "Union[int, bytes]", bytes: int = 4) -> None:
        """The bytes of ``value``, or a number as ``bytes`` little-endian ones."""
        data = value.to_bytes(bytes, "little") if isinstance(value, int) else value
        self._open().write_at(offset, data)

    def _open(self):
        if self.addr is None:
            raise ValueError(f"the window onto {self.core} was closed: use it before close() or "
                             "the end of its with block, or open another")
        return self.addr

    def close(self) -> None:
        """Gives it back."""
        if self.addr is not None:
            self.addr.close()
            self.addr = None
        if self.id is not None:
            FreeTlb(self.fd, id=self.id)
            self.id = None

    def __enter__(self) -> "TLBWindow":
        return self

    def __exit__(self, exc_type, exc, tb) -> None:
        self.close()


class PCIDevice:
    """An open card: ``fd``, ``cores`` without the two of the command queue, ``sysmem``."""

    ARC_CORE = (8, 0)
    ARC_NOC_BASE = 0x80000000
    SCRATCH_RAM_12 = 0x30430  # where telemetry's values are
    SCRATCH_RAM_13 = 0x30434  # where its tags are
    ENABLED_GDDR_TAG = 36
    P100A_X = (*range(1, 8), *range(10, 15))
    P150_X = (*range(1, 8), *range(10, 17))
    prefetch_core = (14, 2)
    dispatch_core = (14, 3)

    def __init__(self, index: int = 0, sysmem_size: int = 1 << 30) -> None:
        card_type = NODES.attribute(f"{CLASS}/tenstorrent!{index}/tt_card_type")
        if card_type is None:
            raise FileNotFoundError(f"{DEVICES}/{index}")
        self.card_type = card_type.strip()
        if self.card_type != "p100a" and not self.card_type.startswith("p150"):
            raise RuntimeError(f"unsupported Blackhole card {self.card_type}")
        p100a = self.card_type == "p100a"
        self.fd = NODES.open(f"{DEVICES}/{index}", os.O_RDWR | os.O_CLOEXEC | os.O_APPEND)
        try:
            SetPowerState(self.fd, power_flags=0b1111)
            enabled = self._read_enabled_gddr() & 0xFF
            harvested = [bank for bank in range(8) if not enabled >> bank & 1]
            if p100a and len(harvested) != 1:
                raise RuntimeError(
                    f"P100A requires exactly one harvested DRAM bank, got {harvested}")
            self.harvested_dram_bank = harvested[0] if harvested else None
            queue = {self.prefetch_core, self.dispatch_core}
            self.cores = [(x, y) for x in (self.P100A_X if p100a else self.P150_X)
                          for y in range(2, 12) if (x, y) not in queue]
            self.sysmem = Sysmem(self.fd, sysmem_size)
        except BaseException:
            NODES.close(self.fd)
            raise

    def _read_enabled_gddr(self) -> int:
        def word(window: TLBWindow, address: int) -> int:
            window.target(address & -window.SIZE)
            return int.from_bytes(window.read(address % window.SIZE), "little")

        with TLBWindow(self.fd, self.ARC_CORE) as window:
            table = word(window, self.ARC_NOC_BASE + self.SCRATCH_RAM_13)
            values = word(window, self.ARC_NOC_BASE + self.SCRATCH_RAM_12)
            if {table, values} & {0, 0xFFFFFFFF}:
                raise RuntimeError(
                    f"invalid ARC telemetry pointers table=0x{table:x} data=0x{values:x}")
            count = word(window, table + 4)
            if not 0 < count <= 4096:
                raise RuntimeError(f"invalid ARC telemetry entry count: {count}")
            for entry in range(count):
                tag = word(window, table + 8 + entry * 4)
                if tag & 0xFFFF == self.ENABLED_GDDR_TAG:
                    return word(window, values + (tag >> 16) * 4)
        raise RuntimeError("missing enabled_gddr ARC telemetry tag")

    def close(self) -> None:
        """Gives everything back; may be called again."""
        if self.fd >= 0:
            self.sysmem.close()
            SetPowerState(self.fd, power_flags=0)
            NODES.close(self.fd)
            self.fd = -1
