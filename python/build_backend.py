"""Builds the wheel of bhemu with CMake (PEP 517). Needs what the C++ build needs, and pybind11."""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "bhemu"


def _version() -> str:
    header = (ROOT / "src" / "host" / "version.hpp").read_text()
    return re.search(r'kVersion = "(.*)"', header).group(1)


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _native() -> Path:
    """The extension module: what BHEMU_PYTHON_MODULE names, or one built for this wheel."""
    if ready := os.environ.get("BHEMU_PYTHON_MODULE"):
        return Path(ready)
    build = Path(os.environ.get("BHEMU_PYTHON_BUILD", ROOT / "build-python"))
    configure = ["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
                 "-DBHEMU_PYTHON=ON", "-DBHEMU_TESTS=OFF", "-DBHEMU_BENCH=OFF",
                 f"-DPython3_EXECUTABLE={sys.executable}", f"-DPYTHON_EXECUTABLE={sys.executable}"]
    if shutil.which("ninja") and not (build / "CMakeCache.txt").exists():
        configure += ["-G", "Ninja"]
    if shutil.which("ccache"):
        configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(configure, check=True)
    subprocess.run(["cmake", "--build", str(build), "--target", "bhemu_python", "--parallel",
                    str(os.cpu_count() or 1)], check=True)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    found = sorted((build / "python" / "bhemu").glob("_native*" + suffix))
    if not found:
        raise RuntimeError(f"the build left no _native module in {build / 'python'}")
    return found[-1]


def _metadata() -> str:
    return (f"Metadata-Version: 2.1\nName: bhemu\nVersion: {_version()}\n"
            "Summary: Emulator of the Tenstorrent Blackhole accelerator\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy\n")


def _record(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = Path(metadata_directory) / f"bhemu-{_version()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(_metadata())
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    native = _native()
    files = {f"bhemu/{path.relative_to(PACKAGE)}": path.read_bytes()
             for path in sorted(PACKAGE.rglob("*"))
             if path.is_file() and path.suffix in (".py", ".typed")}
    files[f"bhemu/{native.name}"] = native.read_bytes()
    info = f"bhemu-{_version()}.dist-info"
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: bhemu\nRoot-Is-Purelib: false\n"
                              f"Tag: {_tag()}\n").encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(_record(name, data) for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    name = f"bhemu-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """What git has, as a tar file."""
    name = f"bhemu-{_version()}"
    target = Path(sdist_directory) / f"{name}.tar.gz"
    subprocess.run(["git", "-C", str(ROOT), "archive", "--format=tar.gz", f"--prefix={name}/",
                    "-o", str(target), "HEAD"], check=True)
    return target.name


if __name__ == "__main__":  # FOLDER MODULE: a wheel around a native module that is built already
    os.environ["BHEMU_PYTHON_MODULE"] = sys.argv[2]
    build_wheel(sys.argv[1])
