#!/usr/bin/python3
"""Which programs host/bhemu_compile.py takes for the same, and that it compiles what g++ would.

Without Debian's RISC-V compiler and C library, or Python's filelock, it skips (status 77).
"""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE / "host"))

SKIPPED = 77
SOURCE = """
#include <algorithm>
#include <cstdint>
#include <array>
template <int N> int folded(int x) { return N > 2 ? x * N : x + N; }
#include "build.h"
extern "C" int _start(int x) {
#ifdef TWICE
  x *= 2;
#endif
  return folded<USED>(x) + Params{}.first;
}
"""
SCRIPT = "ENTRY(_start) SECTIONS { .text 0x1000 : { *(.text*) } .data : { *(.*data*) } }"
HEADER = [
    "#pragma once",
    "#include <type_traits>",
    "constexpr int USED = 3;",
    "constexpr auto THROUGH = USED;",
    "constexpr bool OTHER = false;",
    "struct Params {",
    "int first = 7;",
    "};",
]


class Kernels:
    """One kernel, compiled with different headers."""

    def __init__(self, folder):
        import bhemu_compile

        self.folder = folder
        self.compiler = bhemu_compile.Compiler(folder / "cache")
        (folder / "cache/headers").mkdir(parents=True)
        (folder / "script.ld").write_text(SCRIPT)

    def command(self, variant, output):
        return (
            f"{HERE}/bin/riscv-tt-elf-g++ -mcpu=tt-bh-tensix -O3 -std=c++17 -I{variant} "
            f"-fno-exceptions -nostdlib -nostartfiles -T{self.folder}/script.ld -x c++ - -lc "
            f"-o {output}"
        )

    def build(self, name, header):
        """(the code, how many programs were compiled for it)"""
        variant = self.folder / name
        variant.mkdir()
        (variant / "build.h").write_text("\n".join(header))
        before = self.compiler.compiled
        self.compiler.program(self.command(variant, variant / "a.elf"), self.folder, SOURCE)
        return code_of(variant / "a.elf"), self.compiler.compiled - before

    def plain(self, name):
        """The code of `name` by one call of the compiler, without any of it."""
        output = self.folder / name / "plain.elf"
        command = self.command(self.folder / name, output).split()
        subprocess.run(command, input=SOURCE, cwd=self.folder, check=True, text=True)
        return code_of(output)


def code_of(program):
    output = program.with_suffix(".bin")
    command = ["riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".text"]
    subprocess.run([*command, str(program), str(output)], check=True)
    return output.read_bytes()


def changed(old, new):
    return [line.replace(old, new) for line in HEADER]


def check(kernels):
    first, compiled = kernels.build("first", HEADER)
    assert compiled == 1
    assert first == kernels.plain("first"), "not what the compiler makes of the whole text"
    assert kernels.build("same", HEADER) == (first, 0)
    assert kernels.build("unused", changed("OTHER = false", "OTHER = true")) == (first, 0)
    assert kernels.build("through", changed("auto THROUGH = USED", "int THROUGH = 5")) == (first, 0)
    for name, old, new in (
        ("used", "USED = 3", "USED = 1"),
        ("member", "first = 7", "first = 8"),
        ("directive", "#pragma once", "#pragma once\n#define TWICE"),
        ("macro", "USED = 3", "USED = INT8_MAX"),
    ):
        code, compiled = kernels.build(name, changed(old, new))
        assert compiled == 1 and code != first, name
        assert code == kernels.plain(name), name
    macro, compiled = kernels.build("another", changed("USED = 3", "USED = INT16_MAX"))
    assert compiled == 1 and macro == kernels.plain("another")
    try:
        kernels.build("broken", changed("USED = 3", "USED = missing"))
    except RuntimeError as error:
        assert "missing" in str(error) and "Command" in str(error)
    else:
        raise AssertionError("a kernel that does not compile")


def main():
    if (
        shutil.which("riscv64-unknown-elf-g++") is None
        or not Path("/usr/lib/picolibc/riscv64-unknown-elf").is_dir()
        or importlib.util.find_spec("filelock") is None
    ):
        print("skipped: needs gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf and filelock")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        check(Kernels(Path(folder)))
    print("10 programs as expected")
    return 0


if __name__ == "__main__":
    sys.exit(main())
