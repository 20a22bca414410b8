"""Compiles LLK's kernels in this process, and no program twice.

LLK writes a header of constants, build.h, for each variant and compiles three programs with it, one
for each thread. Nearly all of a variant's time went there. Three things save it:

* The preprocessor runs once for each kernel and thread. What comes before the constants of build.h
  and what comes after depends on the header's directives only.
* Constants that nothing behind them names are left out; a unary operation's name, for instance, is
  of interest to one thread of three. A program is known by the text that remains.
* What comes before the constants is compiled once (a precompiled header).

The compiler's options are those of bin/debian_riscv.sh.
"""

import hashlib
import os
import re
import shlex
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

HERE = Path(__file__).resolve().parent
BIN = HERE.parent / "bin"
COMPILER = "riscv-tt-elf-g++"

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_CONSTANT = re.compile(r"^constexpr [^=;(){}]*\b(\w+) *=[^;]*;$")
_MARKER = re.compile(r'^# (\d+) "([^"]*)"((?: \d)*)$')


def _debian_options():
    """The arrays of bin/debian_riscv.sh."""
    names = ("compiler", "vectors", "other_order", "target", "libraries")
    script = f'source "{BIN}/debian_riscv.sh"\n'
    for name in names:
        script += f'printf "%s\\n" "${{riscv_{name}[@]}}" ""\n'
    script += f'riscv_headers "{HERE.parent}/device/cxx"\necho\n'
    text = subprocess.run(["bash", "-euc", script], stdout=subprocess.PIPE, check=True, text=True)
    blocks = text.stdout.split("\n\n")
    return {name: block.split("\n") for name, block in zip((*names, "headers"), blocks)}


class CompileError(RuntimeError):
    """In the form in which LLK reports one."""

    def __init__(self, command, text):
        super().__init__(f"Command:\n{shlex.join(command)}\n\nCommand's stderr:\n{text}")


def _run(command, cwd, text=None, tell=True):
    result = subprocess.run(
        command, cwd=cwd, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if result.returncode != 0:
        if tell:
            raise CompileError(command, result.stderr)
        return None
    return result.stdout


class _Command:
    """LLK's command line, sorted by what it is for."""

    def __init__(self, command):
        self.compile, self.link, self.variant = [], [], None
        words = iter(shlex.split(command)[1:])
        for word in words:
            if word.startswith("-mcpu=") or word in ("-Werror", "-Wl,--trace", "-lc", "-"):
                continue
            if word == "-o":
                self.output = Path(next(words))
            elif word == "-x":
                next(words)
            elif word.startswith(("-T", "-Wl,")) or word in ("-nostartfiles", "-nostdlib"):
                self.link.append(word)
            elif word.startswith("-I") and (Path(word[2:]) / "build.h").exists():
                self.variant = Path(word[2:])
            else:
                self.compile.append(word)
        self.compile.append("-w")


class _Text:
    """A preprocessed kernel without the constants of build.h: what is before and what behind."""

    def __init__(self, before, behind, macros):
        self.before, self.behind, self.macros = before, behind, macros
        self.names = set(_IDENTIFIER.findall(behind))
        self.digest = hashlib.sha256(before.encode()).hexdigest()[:40]


def _split(output, header):
    """(before, own lines of `header`, behind) of the preprocessor's output, without markers.

    None if the header includes something between its own lines.
    """
    parts, own, file, depth_behind = ([], [], []), 0, "", False
    for line in output.splitlines():
        marker = _MARKER.match(line)
        if marker:
            if file == header and marker[2] != header and "2" in marker[3].split():
                depth_behind = True
            file = marker[2]
            continue
        if not line.strip():
            continue
        if file == header and not depth_behind:
            parts[1].append(line)
            own += 1
        elif depth_behind:
            parts[2].append(line)
        elif own:
            return None
        else:
            parts[0].append(line)
    return tuple("\n".join(part) + "\n" for part in parts)


def _pruned(lines, names):
    """Without constants that nothing behind them names."""
    kept, needed = [], set(names)
    for line in reversed(lines):
        constant = _CONSTANT.match(line)
        if constant and constant[1] not in needed:
            continue
        kept.append(line)
        needed.update(_IDENTIFIER.findall(line))
    return kept[::-1]


class Compiler:
    def __init__(self, cache):
        self.cache = cache
        self.options = _debian_options()
        self.texts = {}
        inputs = (BIN / "debian_riscv.sh", HERE.parent / "device/prelude.s", Path(__file__))
        self.salt = b"".join(path.read_bytes() for path in inputs)
        self.compiled = self.reused = 0

    def _gcc(self, *words):
        return [*self.options["compiler"], *self.options["vectors"], *words]

    def _preprocess(self, command, cwd, source, header):
        words = [*command.compile, *self.options["headers"], f"-I{command.variant}"]
        output = _run(self._gcc(*words, "-x", "c++", "-E", "-"), cwd, source)
        parts = _split(output, str(header))
        if parts is None:
            return _Text("", re.sub(r"(?m)^# \d+ .*\n", "", output), None), None
        listed = _run(self._gcc(*words, "-x", "c++", "-E", "-dM", "-"), cwd, source)
        macros = set(re.findall(r"(?m)^#define (\w+)", listed))
        return _Text(parts[0], parts[2], macros), parts[1]

    def _text(self, command, cwd, source):
        """(text before and behind, constants) of this variant's program."""
        header = command.variant / "build.h"
        lines = [line.rstrip() for line in header.read_text().splitlines()]
        lines = [line for line in lines if line.strip() and not line.lstrip().startswith("//")]
        directives = tuple(line for line in lines if line.startswith("#"))
        body = [line for line in lines if not line.startswith("#")]
        key = (source, directives, tuple(command.compile))
        text = self.texts.get(key)
        if text is None:
            text, _ = self.texts[key], _ = self._preprocess(command, cwd, source, header)
        if text.macros is None or text.macros.intersection(
            name for line in body for name in _IDENTIFIER.findall(line)
        ):
            # The preprocessor has something to say about the constants themselves.
            fresh, own = self._preprocess(command, cwd, source, header)
            return fresh, own.splitlines() if own is not None else []
        return text, _pruned(body, text.names)

    def _header(self, text, options, cwd):
        """The precompiled form of what is before the constants, or None if there is little."""
        if len(text.before) < 100000:
            return None
        key = hashlib.sha256(repr((text.digest, options)).encode() + self.salt).hexdigest()[:40]
        header = self.cache / "headers" / f"{key}.h"
        with FileLock(str(header) + ".lock"):
            if not header.with_suffix(".h.gch").exists():
                header.write_text(text.before)
                made = header.with_suffix(".made")
                command = self._gcc(*options, "-x", "c++-header", "-o", str(made), str(header))
                _run(command, cwd)
                made.rename(header.with_suffix(".h.gch"))
        return header

    def _object(self, command, text, constants, cwd, output):
        # Everything is preprocessed: neither macros nor folders are left to say.
        options = [word for word in command.compile if not word.startswith(("-D", "-I"))]
        header = self._header(text, options, cwd)
        source = "\n".join(constants) + "\n" + text.behind
        words = ["-include", str(header)] if header else []
        source = source if header else text.before + source
        words += ["-x", "c++", "-c", "-o", str(output), "-"]
        try:
            _run(self._gcc(*options, *words), cwd, source)
        except CompileError as error:
            if "a ninth vector" not in str(error):
                raise
            again = self._gcc(*self.options["other_order"], *options, "-x", "c++", "-c")
            whole = source if not header else text.before + source
            if _run([*again, "-o", str(output), "-"], cwd, whole, tell=False) is None:
                raise

    def _key(self, command, text, constants):
        digest = hashlib.sha256(self.salt)
        for word in command.link:
            digest.update(word.encode() if not word.startswith("-T") else b"")
            if word.startswith("-T"):
                digest.update(Path(word[2:]).read_bytes())
        options = [word for word in command.compile if not word.startswith(("-D", "-I"))]
        for part in (repr(options), text.before, "\n".join(constants), text.behind):
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()[:40]

    def program(self, line, cwd, source):
        """Does what LLK's command line says; the program goes to its output."""
        command = _Command(line)
        text, constants = self._text(command, cwd, source)
        key = self._key(command, text, constants)
        kept = self.cache / key[:2] / f"{key}.elf"
        if kept.exists():
            self.reused += 1
        else:
            self.compiled += 1
            kept.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
                unit, made = Path(folder) / "kernel.o", Path(folder) / "kernel.elf"
                self._object(command, text, constants, cwd, unit)
                words = [*self.options["compiler"], *self.options["target"], "-nostdlib"]
                words += ["-nostartfiles", *command.link, "-o", str(made), str(unit)]
                _run([*words, *self.options["libraries"], "-lc", "-lgcc"], cwd)
                made.rename(kept)
        with suppress(FileNotFoundError):
            command.output.unlink()
        os.link(kept, command.output)


def install(modules, cache):
    """Puts it in place of LLK's `run_shell_command` where that compiles a kernel."""
    (cache / "headers").mkdir(parents=True, exist_ok=True)
    compiler = Compiler(cache)
    plain = modules[0].run_shell_command

    def run_shell_command(command, cwd=None, stdin_data=None, text=True):
        first = command.split(maxsplit=1)[0]
        if stdin_data is None or not first.endswith(COMPILER):
            return plain(command, cwd, stdin_data, text)
        return compiler.program(command, cwd, stdin_data)

    for module in modules:
        module.run_shell_command = run_shell_command
    return compiler
