#!/bin/bash
# Proves that the checked-in firmware, kernels and SDK headers are what the sources give. Exits
# with 77 ("skipped" to ctest) where the cross compiler, or the version that built the checked-in
# images, is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folders=(firmware/prebuilt firmware/ethernet/prebuilt kernels/prebuilt tests/hangs/prebuilt)

for folder in "${folders[@]}"; do
  (cd "$folder" && sha256sum --quiet -c SHA256SUMS)
done

gcc=riscv64-unknown-elf-gcc
if ! command -v "$gcc" > /dev/null; then
  echo "skipped: $gcc is not installed (Debian package gcc-riscv64-unknown-elf)"
  exit 77
fi
if [[ $("$gcc" -dumpversion) != 12.2.0 ]]; then
  echo "skipped: the images were built with $gcc 12.2.0, this is $("$gcc" -dumpversion)"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools/build_guest.sh "$work"
status=0
for file in kernels/sdk/tensix_ops.h kernels/sdk/tensix_config.h; do
  cmp "$file" "$work/$file" || status=1
done
for folder in "${folders[@]}"; do
  diff -r "$folder" "$work/$folder" || status=1
done
if [[ $status -ne 0 ]]; then
  echo "stale: run tools/build_guest.sh ." >&2
fi
exit $status
