"""Makes a wheel carry the shared libraries that a bare system lacks.

    python3 python/repair_wheel.py WHEEL FOLDER

Libraries that the native module needs, and that are not part of every GNU/Linux with the same C
library or newer (PEP 600 lists them), are copied into bhemu.libs/ under a name with their hash, and
the module is made to look there. Needs patchelf. The wheel's tag becomes manylinux_X_Y with the
version of the C library that the module and the copies want.
"""

import base64
import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# PEP 600: what a manylinux wheel may expect of the system.
SYSTEM = re.compile(
    r"^(ld-linux.*|libc|libm|libdl|librt|libpthread|libutil|libgcc_s|libstdc\+\+)\.so")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(library):
    """Names of the libraries that `library` asks for and that have to come along."""
    names = output("patchelf", "--print-needed", str(library)).split()
    return [name for name in names if not SYSTEM.match(name)]


def found_by_loader(library):
    """Where the loader finds each library that `library` needs, directly or not."""
    pairs = re.findall(r"(\S+) => (\S+) \(", output("ldd", str(library)))
    return {name: Path(path) for name, path in pairs}


def newest_c_library(paths):
    """(2, 36): the highest version of the C library that any of the files wants."""
    versions = {(2, 17)}  # the lowest that has a tag of this kind
    for path in paths:
        for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", str(path))):
            versions.add((int(major), int(minor)))
    return max(versions)


def carry_libraries(root):
    """Copies what is needed below `root` and returns every ELF file that is now there."""
    module = next((root / "bhemu").glob("_native*.so"))
    libraries = root / "bhemu.libs"
    libraries.mkdir()
    where = found_by_loader(module)
    new_names, waiting = {}, [module]
    copies = []
    while waiting:
        user = waiting.pop()
        for name in needed(user):
            if name not in where:
                sys.exit(f"repair_wheel.py: {name}, which {user.name} needs, is not on this system")
            if name not in new_names:
                data = where[name].read_bytes()
                stem, _, rest = name.partition(".so")
                new_names[name] = f"{stem}-{hashlib.sha256(data).hexdigest()[:8]}.so{rest}"
                copy = libraries / new_names[name]
                copy.write_bytes(data)
                copy.chmod(0o755)
                subprocess.run(["patchelf", "--set-soname", copy.name, str(copy)], check=True)
                copies.append(copy)
                waiting.append(copy)
            subprocess.run(["patchelf", "--replace-needed", name, new_names[name], str(user)],
                           check=True)
    for file in [module, *copies]:
        folder = "$ORIGIN/../bhemu.libs" if file == module else "$ORIGIN"
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", folder, str(file)], check=True)
    return [module, *copies]


def write_wheel(root, target, info, tag):
    wheel_file = info / "WHEEL"
    wheel_file.write_text(re.sub(r"^Tag: .*$", f"Tag: {tag}", wheel_file.read_text(), flags=re.M))
    record = info / "RECORD"
    lines = []
    files = sorted(path for path in root.rglob("*") if path.is_file() and path != record)
    for path in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest())
        lines.append(f"{path.relative_to(root)},sha256={digest.rstrip(b'=').decode()},"
                     f"{path.stat().st_size}\n")
    lines.append(f"{record.relative_to(root)},,\n")
    record.write_text("".join(lines))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in [*files, record]:
            wheel.write(path, path.relative_to(root))


def main(wheel, folder):
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(root)
        binaries = carry_libraries(root)
        major, minor = newest_c_library(binaries)
        name, version, python, abi, platform = Path(wheel).stem.split("-")
        machine = platform.removeprefix("linux_")
        tag = f"{python}-{abi}-manylinux_{major}_{minor}_{machine}"
        target = Path(folder) / f"{name}-{version}-{tag}.whl"
        target.parent.mkdir(parents=True, exist_ok=True)
        write_wheel(root, target, next(root.glob("*.dist-info")), tag)
    print(target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: repair_wheel.py WHEEL FOLDER")
    main(sys.argv[1], sys.argv[2])
