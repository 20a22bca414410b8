# `./dev package` (CPack): Debian packages of the four components. What each depends on is read from
# the binaries by dpkg-shlibdeps, so that packages fit the distribution on which they are built.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bhemu)
set(CPACK_PACKAGE_VENDOR "the bhemu project")
set(CPACK_PACKAGE_CONTACT "the bhemu project <bhemu@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime library development)
if(BHEMU_PYTHON_INSTALL_DIR)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

function(bhemu_package component name section summary text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()

set(about "bhemu runs the unmodified binaries of a Blackhole card, firmware and kernels, and \
gives the bits that the card gives.")
bhemu_package(runtime bhemu devel "Emulator of the Tenstorrent Blackhole accelerator"
  "${about} The command, its firmware, examples, and the card for other programs (bhemu shim).")
bhemu_package(library libbhemu0 libs "Emulator of the Tenstorrent Blackhole, shared library"
  "${about} The library, with its C interface and the one that tt-umd's simulator class loads.")
bhemu_package(development libbhemu-dev libdevel "Emulator of the Tenstorrent Blackhole, headers"
  "${about} Headers for C and C++, CMake package, pkg-config file.")
bhemu_package(python python3-bhemu python "Emulator of the Tenstorrent Blackhole, for Python 3"
  "${about} The Python package.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libbhemu0 (= ${PROJECT_VERSION})")
# Examples use the compiler only when a user builds kernels of their own.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS
  "gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf, python3-bhemu")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
if(TARGET bhemu_python)
  # The native module is for the one Python that it was built with.
  execute_process(COMMAND ${PYTHON_EXECUTABLE} -c
      "import sys; a, b = sys.version_info[:2]
print(f'python3 (>= {a}.{b}), python3 (<< {a}.{b + 1})')"
    OUTPUT_VARIABLE python_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${python_version}, python3-numpy")
endif()
include(CPack)
