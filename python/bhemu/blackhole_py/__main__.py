"""python -m bhemu.blackhole_py PROGRAM.py ARGUMENTS: runs a program of blackhole-py unchanged.

``import pcie`` and ``import tlb`` give the modules of this package; and to a driver that opens
/dev/tenstorrent itself, ``os.open``, ``os.close``, ``fcntl.ioctl`` and ``mmap.mmap`` answer for the
emulated card, as do ``open`` and ``os.listdir`` for the driver's files in sysfs. Whoever takes the
address of a mapping, or calls libc past Python, needs ``bhemu shim`` instead.
"""

from __future__ import annotations

import argparse
import builtins
import errno
import fcntl
import io
import mmap
import os
import runpy
import sys
from pathlib import Path

from bhemu.blackhole_py.nodes import CLASS, DEVICES, NODES, Card

SHADOW = Path(__file__).resolve().parent / "shadow"


def _text(path) -> str:
    """A path of any kind; empty when it is none (a descriptor)."""
    if isinstance(path, (str, bytes, os.PathLike)):
        return os.fsdecode(path)
    return ""


def _is_ours(path: str) -> bool:
    return any(path == root or path.startswith(root + "/") for root in (DEVICES, CLASS))


def serve() -> None:
    """From now on this process has the emulated cards in /dev/tenstorrent."""
    real_open, real_close, real_listdir = os.open, os.close, os.listdir
    real_ioctl, real_mmap, real_io_open = fcntl.ioctl, mmap.mmap, io.open

    def os_open(path, flags, mode=0o777, *, dir_fd=None):
        if NODES.card_of_path(_text(path)) is not None:
            return NODES.open(_text(path), flags)
        return real_open(path, flags, mode, dir_fd=dir_fd)

    def os_close(fd):
        return NODES.close(fd) if NODES.owns(fd) else real_close(fd)

    def listdir(path="."):
        if _text(path).rstrip("/") == DEVICES:
            return [str(index) for index in NODES.indices()]
        if _text(path).rstrip("/") == CLASS:
            return [f"tenstorrent!{index}" for index in NODES.indices()]
        return real_listdir(path)

    def ioctl(fd, request, arg=0, mutate_flag=True):
        number = fd if isinstance(fd, int) else fd.fileno()
        if NODES.owns(number):
            return NODES.ioctl(number, request, arg, mutate_flag)
        return real_ioctl(fd, request, arg, mutate_flag)

    class Mmap(real_mmap):
        """mmap.mmap, except that files of cards give their own kind of mapping."""

        def __new__(cls, fileno, length, *args, **kwargs):
            if not NODES.owns(fileno):
                return super().__new__(cls, fileno, length, *args, **kwargs)
            # Positions: flags, prot, access, offset.
            return NODES.map(fileno, length, kwargs.get("offset", args[3] if args[3:] else 0))

    def open_file(file, mode="r", buffering=-1, encoding=None, errors=None, *rest, **kwargs):
        path = _text(file)
        if not _is_ours(path) or not path.startswith(CLASS):
            return real_io_open(file, mode, buffering, encoding, errors, *rest, **kwargs)
        text = NODES.attribute(path)
        if text is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        raw = io.BytesIO(text.encode())
        return raw if "b" in mode else io.TextIOWrapper(raw, encoding or "utf-8", errors)

    os.open, os.close, os.listdir = os_open, os_close, listdir
    fcntl.ioctl, mmap.mmap = ioctl, Mmap
    io.open = builtins.open = open_file


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bhemu.blackhole_py",
        description="Runs a program of blackhole-py on an emulated card.",
        epilog="Other settings by BHEMU_*, as for bhemu shim.")
    parser.add_argument("--board", choices=("p100a", "p150"))
    parser.add_argument("--threads", type=int, help="of the host, to run the card")
    parser.add_argument("--faults", choices=("throw", "report", "exit"))
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    NODES.insert(Card(given.board, threads=given.threads, faults=given.faults))
    serve()
    sys.argv = [given.program, *given.arguments]
    # Before the program's own folder, where its modules of the same names lie.
    sys.path[0:1] = [str(SHADOW), str(Path(given.program).resolve().parent)]
    runpy.run_path(given.program, run_name="__main__")


if __name__ == "__main__":
    main()
