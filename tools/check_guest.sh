#!/bin/bash
# Proves that the checked-in firmware, kernels and SDK headers are what the sources give. Where no
# source has changed since they were built, one kernel in 16 is built anew; all of them with
# BHEMU_GUESTS=all (./dev soak), which takes six minutes of one processor. Exits with 77 ("skipped"
# to ctest) where the cross compiler, or the version that built the checked-in images, is missing.
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
parts=1
if [[ ${BHEMU_GUESTS:-} != all ]] && tools/guest_inputs.sh | cmp -s - kernels/prebuilt/INPUTS; then
  parts=16
fi
tools/build_guest.sh "$work" "$parts"
status=0
for file in kernels/sdk/tensix_ops.h kernels/sdk/tensix_config.h; do
  cmp "$file" "$work/$file" || status=1
done
for folder in "${folders[@]}"; do
  if [[ $parts -eq 1 ]]; then
    diff -r "$folder" "$work/$folder" || status=1
    continue
  fi
  built=$(cd "$work/$folder" && find . -type f | sort)
  [[ -n $built ]] || { echo "$folder: nothing was built" >&2; status=1; }
  for file in $built; do
    cmp "$folder/$file" "$work/$folder/$file" || status=1
  done
done
if [[ $status -ne 0 ]]; then
  echo "stale: run tools/build_guest.sh ." >&2
fi
exit $status
