#!/usr/bin/python3
"""Compares the kernels of LLK that use SFPLOADMACRO with their twins that do without.

LLK writes each such kernel a second time, instruction by instruction (DISABLE_SFPLOADMACRO). Both
must leave the same bits in Dst, in both timings. BHEMU_LLK_DIR names a checkout of
tenstorrent/tt-llk; without it, or without numpy, this skips (status 77).
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77
TILE = (1, 2)
ALU_WORD, DONE, INPUT, INPUT_WORDS = 0x3F000, 0x3F004, 0x40000, 16 * 512
WIDE = 3 << 29  # ALU_ACC_CTRL: Fp32_enabled, SFPU_Fp32_enabled

NARROW_DST, WIDE_DST = (0,), (WIDE,)
BOTH = (0, WIDE)


def by_faces(name):
    """A kernel of 8 rows at a time, four faces, and one of 32 behind it."""
    short = f"_calculate_{name}_<false, 8>(); next_face();"
    return f"{short * 4} _calculate_{name}_<false, 32>()"


def typecast(name, before="", dst=BOTH):
    return (f"{before}_init_typecast_{name}_<false>(); {by_faces('typecast_' + name)}", dst)


# Kernel, and the widths of Dst for which it is made. Integers of 32 bits need a wide Dst: with a
# narrow one, a store lies on rows that a later load takes, and when it is due makes a difference.
KERNELS = {
    "fp32 to uint16": typecast("fp32_to_uint16"),
    "uint16 to fp16b": typecast("uint16_to_fp16b"),
    "int32 to fp16b": typecast("int32_to_fp16b", dst=WIDE_DST),
    "fp32 to fp16b": typecast("fp32_to_fp16b", dst=NARROW_DST),
    "uint16 to fp32": typecast("uint16_to_fp32"),
    "int32 to fp32": typecast("int32_to_fp32", dst=WIDE_DST),
    # Its set-up takes LReg12 for set, which holds 1/512 after reset.
    "uint32 to fp16b": typecast("uint32_to_fp16b", "sfpi::vConstIntPrgm0 = -31; ", WIDE_DST),
    "uint32 to fp32": typecast("uint32_to_fp32", dst=WIDE_DST),
    "uint16 to uint32": typecast("uint16_to_uint32"),
    "uint32 to uint16": typecast("uint32_to_uint16"),
    "int32 to uint16": typecast("int32_to_uint16"),
    "where, 16 bits": (
        "_init_where_<false>(); _calculate_where_<false, DataFormat::Float16_b, 8>(0, 1, 2, 3)",
        BOTH,
    ),
    "where, 32 bits": (
        "_init_where_<false>(); _calculate_where_<false, DataFormat::Float32, 8>(0, 1, 2, 3)",
        BOTH,
    ),
    "where, into its condition": (
        "_init_where_<false>(); _calculate_where_<false, DataFormat::Float32, 8>(0, 1, 2, 0)",
        BOTH,
    ),
    "where, 16 bits, into its condition": (
        "_init_where_<false>(); _calculate_where_<false, DataFormat::Float16_b, 8>(0, 1, 2, 0)",
        BOTH,
    ),
    "product": ("_init_mul_int_<false>(); _mul_int_<false, 8>(0, 1, 2)", BOTH),
    "product, into its factor": ("_init_mul_int_<false>(); _mul_int_<false, 8>(0, 1, 0)", BOTH),
    "square": ("_init_mul_int_<false>(); _mul_int_<false, 8>(1, 1, 1)", BOTH),
    "reciprocal, 7 bits": (
        "_init_reciprocal_<true, false>(); _calculate_reciprocal_<true, 32, false>(32)",
        BOTH,
    ),
    "reciprocal, 8 bits": (
        "_init_reciprocal_<false, false>(); _calculate_reciprocal_<false, 32, false>(32)",
        NARROW_DST,
    ),
    "reciprocal, 24 bits": (
        "_init_reciprocal_<false, true>(); _calculate_reciprocal_<false, 32, true>(32)",
        BOTH,
    ),
    "exponential, clamped": (
        "_init_exponential_<true, true, 0x3F800000, true>();"
        "_calculate_exponential_<true, false, 8, true, false, true>(0)",
        BOTH,
    ),
    "exponential of 8 rows": (
        "_init_exponential_<true, true, 0x3F800000, false>();"
        "_calculate_exponential_<true, false, 8, true, false, false>(0)",
        BOTH,
    ),
    "exponential of 32 rows": (
        "_init_exponential_<true, true, 0x3F800000, false>();"
        "_calculate_exponential_<true, false, 32, true, false, false>(0)",
        BOTH,
    ),
}


def compile_kernel(tree, kernel, output, macros):
    blackhole = tree / "tests/hw_specific/blackhole"
    folders = [
        tree / "tt_llk_blackhole/llk_lib",
        tree / "tt_llk_blackhole/common/inc",
        tree / "tt_llk_blackhole/common/inc/sfpu",
        tree / "common",
        tree / "tests/helpers/include",
        blackhole / "inc",
        blackhole / "metal_sfpu",
    ]
    command = [HERE / "bin/riscv-tt-elf-g++", "-O3", "-std=c++17", "-fno-exceptions", "-fno-rtti"]
    command += ["-fno-use-cxa-atexit", "-fno-asynchronous-unwind-tables", "-nostdlib"]
    command += ["-nostartfiles", "-Wl,--no-warn-rwx-segments", f"-T{HERE}/device/macro_twin.ld"]
    command += ["-DARCH_BLACKHOLE", "-DLLK_TRISC_MATH", "-DCOMPILE_FOR_TRISC=1"]
    command += [f"-I{folder}" for folder in folders]
    command += [] if macros else ["-DDISABLE_SFPLOADMACRO"]
    command += [f"-DKERNEL={kernel}", "-o", output, HERE / "device/macro_twin.cpp"]
    subprocess.run([str(word) for word in command], check=True)


def dst_after(bhemu, program, alu, words, timing):
    device = bhemu.Device("p100a", timing=timing)
    device.write(TILE, INPUT, words)
    device.write32(TILE, ALU_WORD, alu)
    device.start_core(TILE, "trisc1", device.load_elf(TILE, "trisc1", str(program)))
    for _ in range(100):
        device.advance(10_000)
        if device.read32(TILE, DONE) == 1:
            break
    else:
        raise RuntimeError(f"{program.name} does not end")
    if device.faults():
        raise RuntimeError(f"{program.name}: {device.faults()[0]}")
    return device.dst(TILE).copy()


def inputs(numpy, seed):
    """Bit patterns, numbers in single precision, integers around 65,536."""
    draw = numpy.random.default_rng(seed)
    yield draw.integers(0, 1 << 32, INPUT_WORDS, dtype=numpy.uint32)
    for scale in (1, 100):
        yield draw.normal(0, scale, INPUT_WORDS).astype(numpy.float32).view(numpy.uint32)
    yield draw.integers(0, 140_000, INPUT_WORDS, dtype=numpy.uint32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--python", type=Path, default=ROOT / "build/python")
    arguments = parser.parse_args()
    llk = os.environ.get("BHEMU_LLK_DIR")
    if not llk:
        print("skipped: BHEMU_LLK_DIR does not name a checkout of tenstorrent/tt-llk")
        return SKIPPED
    try:
        import numpy
    except ImportError:
        print("skipped: there is no numpy")
        return SKIPPED
    sys.path[:0] = [str(arguments.python), str(HERE)]
    import bhemu
    import run_llk

    wrong = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = run_llk.overlay(Path(llk).resolve(), Path(folder))
        for number, (name, (kernel, widths)) in enumerate(KERNELS.items()):
            twins = [Path(folder) / f"{number}-{kind}.elf" for kind in ("macro", "plain")]
            for twin, macros in zip(twins, (True, False)):
                compile_kernel(tree, kernel, twin, macros)
            bad = 0
            for alu in widths:
                for words in inputs(numpy, arguments.seed):
                    wanted = dst_after(bhemu, twins[1], alu, words, "fast")
                    for timing in ("fast", "reference"):
                        got = dst_after(bhemu, twins[0], alu, words, timing)
                        bad += int((got != wanted).sum())
                        compared += got.size
            print(f"{name}: {'equal' if bad == 0 else f'{bad} cells of Dst differ'}", flush=True)
            wrong += bad != 0
    print(f"{len(KERNELS)} kernels, {compared} cells of Dst compared, {wrong} kernels differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
