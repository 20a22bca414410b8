# Cross-building for aarch64 Linux with Debian's compiler; ./dev aarch64 makes what it needs.
# BHEMU_SYSROOT (a CMake or an environment variable) is a folder with Debian's arm64 packages
# unpacked; without it they are those of this machine (dpkg --add-architecture arm64).
# Tests run under qemu-aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# The compiler is tried in projects of its own, which know this file and these variables only.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BHEMU_SYSROOT)
if(NOT BHEMU_SYSROOT)
  set(BHEMU_SYSROOT "$ENV{BHEMU_SYSROOT}")
endif()
set(BHEMU_SYSROOT "${BHEMU_SYSROOT}" CACHE PATH "Debian's arm64 packages, unpacked")

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
if(BHEMU_SYSROOT)
  set(CMAKE_SYSROOT "${BHEMU_SYSROOT}")
  set(CMAKE_FIND_ROOT_PATH "${BHEMU_SYSROOT}")
  set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
  set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
  set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
  set(ENV{PKG_CONFIG_SYSROOT_DIR} "${BHEMU_SYSROOT}")
  set(pkg_root "${BHEMU_SYSROOT}")
  list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -L "${BHEMU_SYSROOT}")
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_LIBDIR}
  "${pkg_root}/usr/lib/aarch64-linux-gnu/pkgconfig:${pkg_root}/usr/share/pkgconfig")

# The Python module is for the sysroot's Python. pybind11 would ask the interpreter of this machine,
# which has the same version in the same release of Debian, but other names.
if(BHEMU_SYSROOT)
  file(GLOB python_headers "${BHEMU_SYSROOT}/usr/include/python3.[0-9]*")
  if(python_headers)
    list(GET python_headers 0 PYTHON_INCLUDE_DIR)
    string(REGEX REPLACE ".*python3\\.([0-9]+)$" ".cpython-3\\1-aarch64-linux-gnu.so"
      PYTHON_MODULE_EXTENSION "${PYTHON_INCLUDE_DIR}")
    set(PYBIND11_PYTHONLIBS_OVERWRITE OFF)
  endif()
endif()
