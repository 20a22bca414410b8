"""The three number types that LLK's tests take from the Python package of this name.

numpy cannot be taught new types from Python, so a type here is a codec. Where LLK converts with
one, bhemu_llk.py puts functions that use the codec.
"""

import numpy as np


class Codec:
    def __init__(self, name, bits, exponent_bits, bias, has_infinity, maximum):
        self.name, self.bits, self.max = name, bits, maximum
        self.storage = np.dtype(np.uint16 if bits == 16 else np.uint8)
        codes = np.arange(1 << bits, dtype=np.int64)
        mantissa_bits = bits - 1 - exponent_bits
        sign = np.where(codes >> (bits - 1), -1.0, 1.0)
        exponent = (codes >> mantissa_bits) & ((1 << exponent_bits) - 1)
        mantissa = codes & ((1 << mantissa_bits) - 1)
        values = np.where(
            exponent == 0,
            np.ldexp(mantissa.astype(np.float64), 1 - bias - mantissa_bits),
            np.ldexp(
                1.0 + mantissa / float(1 << mantissa_bits), (exponent - bias).astype(np.int32)
            ),
        )
        top = exponent == (1 << exponent_bits) - 1
        if has_infinity:
            values = np.where(top, np.where(mantissa == 0, np.inf, np.nan), values)
        else:
            values = np.where(top & (mantissa == (1 << mantissa_bits) - 1), np.nan, values)
        with np.errstate(over="ignore"):
            self.values = (sign * values).astype(np.float32)
        half = self.values[: 1 << (bits - 1)]
        self.finite = half[np.isfinite(half)].astype(np.float64)
        self.infinity = int(np.argmax(np.isinf(half))) if has_infinity else None
        self.nan = int(np.argmax(np.isnan(half)))

    def decode(self, codes):
        return self.values[codes]

    def encode(self, numbers):
        """Nearest, ties to even."""
        numbers = np.asarray(numbers, dtype=np.float32)
        size = np.abs(numbers).astype(np.float64)
        above = np.clip(np.searchsorted(self.finite, size), 1, len(self.finite) - 1)
        below = above - 1
        middle = (self.finite[below] + self.finite[above]) / 2
        up = (size > middle) | ((size == middle) & (above % 2 == 0))
        codes = np.where(up, above, below)
        last = self.finite[-1] + (self.finite[-1] - self.finite[-2]) / 2
        overflow = self.infinity if self.infinity is not None else self.nan
        codes = np.where(size >= last, overflow, codes)
        codes = np.where(np.isnan(numbers), self.nan, codes)
        codes = codes | np.where(np.signbit(numbers), 1 << (self.bits - 1), 0)
        return codes.astype(self.storage)


bfloat16 = Codec("bfloat16", 16, 8, 127, True, float(np.float32(3.3895314e38)))
float8_e5m2 = Codec("float8_e5m2", 8, 5, 15, True, 57344.0)
float8_e4m3fn = Codec("float8_e4m3fn", 8, 4, 7, False, 448.0)


def finfo(codec):
    return codec
