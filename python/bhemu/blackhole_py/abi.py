"""Structures and numbers of tt-kmd's requests, as its public ioctl.h gives them."""

from ctypes import Structure, c_uint8, c_uint16, c_uint32, c_uint64

MAGIC = 0xFA
PIN_PAGES, UNPIN_PAGES = 7, 10
ALLOCATE_TLB, FREE_TLB, CONFIGURE_TLB = 11, 12, 13
SET_POWER_STATE = 15

PIN_NOC_DMA = 2
POWER_FLAGS = 4
"""How many of the power flags this client knows."""


def request(number: int) -> int:
    """The whole number of a request: no direction, no size."""
    return MAGIC << 8 | number


class PinPagesData(Structure):
    _fields_ = [
        ("output_size_bytes", c_uint32),
        ("flags", c_uint32),
        ("virtual_address", c_uint64),
        ("size", c_uint64),
        ("physical_address", c_uint64),  # answers from here
        ("noc_address", c_uint64),
    ]


class UnpinPagesData(Structure):
    _fields_ = [("virtual_address", c_uint64), ("size", c_uint64), ("reserved", c_uint64)]


class AllocateTlbData(Structure):
    _fields_ = [
        ("size", c_uint64),
        ("reserved", c_uint64),
        ("id", c_uint32),  # answers from here
        ("reserved0", c_uint32),
        ("mmap_offset_uc", c_uint64),
        ("mmap_offset_wc", c_uint64),
        ("reserved1", c_uint64),
    ]


class FreeTlbData(Structure):
    _fields_ = [("id", c_uint32)]


class NocTlbConfig(Structure):
    """Where a window points; the January 2026 driver builds it with ``TLBConfig.to_struct``."""

    _fields_ = [
        ("addr", c_uint64),
        ("x_end", c_uint16),
        ("y_end", c_uint16),
        ("x_start", c_uint16),
        ("y_start", c_uint16),
        ("noc", c_uint8),
        ("mcast", c_uint8),
        ("ordering", c_uint8),
        ("linked", c_uint8),
        ("static_vc", c_uint8),
        ("reserved0", c_uint8 * 3),
        ("reserved1", c_uint32 * 2),
    ]


class ConfigureTlbData(Structure):
    _fields_ = [
        ("id", c_uint32),
        ("reserved", c_uint32),
        ("config", NocTlbConfig),
        ("answer", c_uint64),
    ]


class PowerStateData(Structure):
    _fields_ = [
        ("argsz", c_uint32),
        ("flags", c_uint32),
        ("reserved", c_uint8),
        ("validity", c_uint8),
        ("power_flags", c_uint16),
        ("power_settings", c_uint16 * 14),
    ]
