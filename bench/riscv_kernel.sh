#!/bin/sh
# Rebuilds riscv_kernel.inc from riscv_kernel.c. Needs gcc-riscv64-unknown-elf.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -mcmodel=medany -msmall-data-limit=0 -O2 \
  -ffreestanding -nostdlib -nostartfiles -fno-builtin -fno-tree-loop-distribute-patterns \
  -Wl,-Ttext=0 -Wl,-Tbss=0x4000 -Wl,--no-relax -Wl,--build-id=none \
  riscv_kernel.c -o "$work/kernel.elf" -Wl,-e,start
riscv64-unknown-elf-objcopy -O binary -j .text "$work/kernel.elf" "$work/kernel.bin"
od -An -v -tx4 -w32 "$work/kernel.bin" | sed 's/ *\([0-9a-f]\{8\}\)/0x\1, /g; s/, $/,/' \
  >riscv_kernel.inc
