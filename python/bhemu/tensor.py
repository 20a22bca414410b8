"""Layouts and number formats of tensors, in numpy.

A tile is 32 by 32 datums, stored as four faces of 16 by 16, row by row: top left, top right, bottom
left, bottom right. An interleaved buffer puts page after page on bank after bank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bhemu.device import Device

TILE = 32
FACE = 16


def tilize(matrix: np.ndarray) -> np.ndarray:
    """(rows, columns), both multiples of 32, to (tiles, 1024), tiles row by row."""
    rows, columns = matrix.shape
    if rows % TILE or columns % TILE:
        raise ValueError(f"{rows} x {columns} is not made of tiles of {TILE} x {TILE}")
    blocks = matrix.reshape(rows // TILE, 2, FACE, columns // TILE, 2, FACE)
    return np.ascontiguousarray(blocks.transpose(0, 3, 1, 4, 2, 5)).reshape(-1, TILE * TILE)


def untilize(tiles: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """(tiles, 1024) to (rows, columns): the inverse of ``tilize``."""
    if rows % TILE or columns % TILE:
        raise ValueError(f"{rows} x {columns} is not made of tiles of {TILE} x {TILE}")
    blocks = tiles.reshape(rows // TILE, columns // TILE, 2, 2, FACE, FACE)
    return np.ascontiguousarray(blocks.transpose(0, 2, 4, 1, 3, 5)).reshape(rows, columns)


def to_bf16(values: np.ndarray) -> np.ndarray:
    """float32 to the uint16 bits of bf16, to nearest, ties to even; NaN stays a NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    nan = np.isnan(values)
    return np.where(nan, (bits >> 16) | 0x40, rounded).astype(np.uint16)


def from_bf16(bits: np.ndarray) -> np.ndarray:
    """uint16 bits of bf16 to float32."""
    return (np.ascontiguousarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


def dst_to_bf16(dst: np.ndarray) -> np.ndarray:
    """Rows of Dst that hold BF16 (stored as sign, mantissa, exponent) to float32."""
    word = np.ascontiguousarray(dst, np.uint16)
    return from_bf16((word & 0x8000) | ((word & 0xFF) << 7) | ((word >> 8) & 0x7F))


_FIVE_BIT_EXPONENTS = (1, 2, 3, 10, 11)  # FP16, BFP8a, BFP4a, FP8, BFP2a
_INT8, _INT16 = 14, 9


def source_values(cells: np.ndarray, code: int) -> np.ndarray:
    """Cells of SrcA or SrcB as the numbers of data format ``code``, in float32.

    ``cells`` are words with sign, 8 bits of exponent and 10 of mantissa in float32's places.
    Formats with 5 bits of exponent keep theirs in the low end of the 8; they know no infinity and
    no NaN.
    """
    exponent = (cells >> 23 & 0xFF).astype(np.int32)
    mantissa = (cells >> 13 & 0x3FF).astype(np.int32)
    if code == _INT8:
        values = np.where(exponent == 0, 0, mantissa).astype(np.float32)
    elif code == _INT16:
        values = (mantissa >> 3 << 8 | exponent).astype(np.float32)
    elif code in _FIVE_BIT_EXPONENTS:
        exponent &= 31
        values = np.ldexp((1024 + mantissa).astype(np.float32), exponent - 25)
        values = np.where(exponent == 0, np.float32(0), values)
    else:
        return cells.astype(np.uint32).view(np.float32)
    return np.where(cells >> 31 != 0, -values, values).astype(np.float32)


def write_interleaved(device: "Device", address: int, pages: np.ndarray) -> None:
    """Page i (row i of ``pages``, in bytes) goes to bank i % banks at ``address`` plus
    i // banks pages."""
    rows = np.ascontiguousarray(pages).view(np.uint8).reshape(len(pages), -1)
    banks = device.dram_banks
    for bank in range(min(banks, len(rows))):
        device.write_dram(bank, address, np.ascontiguousarray(rows[bank::banks]))


def read_interleaved(
    device: "Device", address: int, pages: int, shape: "tuple[int, ...]", dtype=np.uint16
) -> np.ndarray:
    """The inverse: an array of (pages, *shape)."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    result = np.empty((pages, size), np.uint8)
    banks = device.dram_banks
    for bank in range(min(banks, pages)):
        count = len(range(bank, pages, banks))
        data = device.read_dram(bank, address, count * size)
        result[bank::banks] = np.frombuffer(data, np.uint8).reshape(count, size)
    return result.view(dtype).reshape(pages, *shape)
