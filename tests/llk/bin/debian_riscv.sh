# Sourced by the stand-ins for Tenstorrent's compiler: Debian's cross compiler for a Blackhole core.
# It comes without a C++ library, so the headers of the host's are used, behind a folder of our own
# that says what they may not take from the host.
# shellcheck shell=bash
riscv_compiler=riscv64-unknown-elf-g++
riscv_target=(-march=rv32im_zicsr_zifencei_zba_zbb -mabi=ilp32)

riscv_prelude=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../device/prelude.s
# For what has vectors (device/inc/sfpi_instructions.h): they live in f0 to f7, and nothing else
# does. Their moves are not split in two; functions that take them are inlined, and early, while it
# is still open what the compiler knows of their arguments; numbers that stand for vectors are
# addressed by a register; and instructions stay in the order in which they are written, also where
# only the kernel knows why.
riscv_vectors=(-march=rv32imfd_zicsr_zifencei_zba_zbb -mabi=ilp32 -mno-fdiv -ffp-contract=off
  -mno-explicit-relocs -fno-schedule-insns -fno-schedule-insns2 -fno-split-wide-types
  -fno-tree-sink -fno-gcse -fno-move-loop-invariants -fno-lra-remat
  --param early-inlining-insns=20000 --param max-inline-insns-single=50000
  --param large-function-insns=1000000
  --param large-stack-frame=1000000 --param large-unit-insns=1000000
  "-Wa,$riscv_prelude")
for number in {8..31}; do riscv_vectors+=("-ffixed-f$number"); done
# Behind these, where eight registers do not suffice: between two words that the kernel has written
# itself, instructions come in an order in which fewer vectors are alive.
riscv_other_order=(-fschedule-insns -fsched-pressure --param sched-pressure-algorithm=2
  -fno-sched-interblock -fno-sched-spec)
export CCACHE_EXTRAFILES=$riscv_prelude

riscv_version=$("$riscv_compiler" -dumpversion)
riscv_libc=/usr/lib/picolibc/riscv64-unknown-elf
# The compiler would take libgcc of 64-bit cores for an architecture that it has no library for.
riscv_libgcc=$("$riscv_compiler" -march=rv32im -mabi=ilp32 -print-libgcc-file-name)
riscv_libraries=("-L${riscv_libgcc%/*}" "-L$riscv_libc/lib/release/rv32im/ilp32"
  "-L$riscv_libc/lib/rv32im/ilp32")
riscv_launcher=()
if command -v ccache > /dev/null; then riscv_launcher=(ccache); fi

# riscv_headers FOLDER...: include options; the folders named come first.
riscv_headers() {
  local folder
  printf '%s\n' -nostdinc++
  for folder in "$@" "/usr/include/c++/${riscv_version%%.*}" \
    "/usr/include/$(gcc -print-multiarch)/c++/${riscv_version%%.*}" "$riscv_libc/include"; do
    printf '%s\n' -isystem "$folder"
  done
}
