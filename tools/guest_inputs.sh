#!/bin/bash
# Prints the SHA-256 of everything that the checked-in firmware and kernels are built from: sources,
# headers, linker scripts, lists, the script that builds them. kernels/prebuilt/INPUTS is what this
# printed when they were built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C
find firmware kernels tests/hangs tools/build_guest.sh -type f \
  \( -name '*.[chS]' -o -name '*.ld' -o -name '*.list' -o -name '*.sh' \) | sort | xargs sha256sum
