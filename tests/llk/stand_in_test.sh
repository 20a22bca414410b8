#!/bin/bash
# What the stand-in for the sfpi compiler makes of vectors: words of small kernels, and refusals.
#   stand_in_test.sh
# Without Debian's RISC-V compiler and C library it skips (status 77).
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
if ! command -v riscv64-unknown-elf-g++ > /dev/null ||
  [[ ! -d /usr/lib/picolibc/riscv64-unknown-elf ]]; then
  echo "skipped: needs gcc-riscv64-unknown-elf and picolibc-riscv64-unknown-elf"
  exit 77
fi
source "$here/bin/debian_riscv.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mapfile -t headers < <(riscv_headers "$here/device/cxx")

# compile BODY: the kernel's object file, with one function
compile() {
  cat > "$work/kernel.cpp" << KERNEL
#include "sfpi.h"
using namespace sfpi;
void kernel(int count) { $1 }
KERNEL
  "$riscv_compiler" "${riscv_vectors[@]}" -O3 -std=c++17 -fno-exceptions -w "${headers[@]}" \
    -I"$here/device/inc" -c -o "$work/kernel.o" "$work/kernel.cpp"
}

# expect NAME BODY WORD...: the Tensix words of the body, in order
expect() {
  local name=$1 body=$2 word found=()
  shift 2
  compile "$body"
  while read -r word; do
    if ((0x$word & 3 ^ 3)); then
      found+=("$(printf '%08x' $(((0x$word >> 2 | 0x$word << 30) & 0xFFFFFFFF)))")
    fi
  done < <(riscv64-unknown-elf-objdump -d "$work/kernel.o" | awk '/^ +[0-9a-f]+:/ { print $2 }')
  if [[ "${found[*]}" != "$*" ]]; then
    printf '%s\n  expected %s\n  but found %s\n' "$name" "$*" "${found[*]}"
    exit 1
  fi
}

# refuse NAME BODY SENTENCE
refuse() {
  if compile "$2" 2> "$work/log" || ! grep -q "$3" "$work/log"; then
    printf '%s: not refused\n' "$1"
    exit 1
  fi
}

expect "a product and a sum are one SFPMAD" \
  'vFloat a = dst_reg[0], b = dst_reg[1]; dst_reg[2] = a * b + b;' \
  7010e000 7000e002 84010000 7200e004
expect "constant registers are operands" \
  'vFloat one = vConst1; dst_reg[0] = vFloat(dst_reg[0]) - one;' 7000e000 850a0a02 7200e000
expect "lanes that are off keep their value" \
  'vFloat a = dst_reg[0]; v_if (a < 0.0f) { a = a * a; } v_endif; dst_reg[0] = a;' \
  7000e000 87000000 7b000000 86000900 88000000 7200e000
expect "either of two conditions is the complement of neither" \
  'vFloat a = dst_reg[0]; v_if (a < 0.0f || a == 0.0f) { a = 1.0f; } v_endif; dst_reg[0] = a;' \
  7000e000 87000000 7b000004 7b000002 8b000000 71003f80 88000000 7200e000
expect "a change of a variable by itself needs no second register" \
  'vInt a = dst_reg[0], b = dst_reg[1];
   v_if (b < 0) { a = reinterpret<vInt>(shft(reinterpret<vUInt>(a), b)); } v_endif;
   dst_reg[2] = a;' \
  700ce000 701ce002 87000000 7b000100 7a000100 88000000 7204e004
expect "lanes that are off keep a number, too" \
  'vFloat a = 0.53f, b = dst_reg[1]; v_if (b < 0.0f) { a = b; } v_endif; dst_reg[2] = a;' \
  7010e002 87000000 7b000100 87000000 8a00300a 710aae14 71083f07 88000000 7c000100 88000000 7200e004
expect "lanes that are off keep the number of a constant register" \
  'vFloat a = 0.0f, b = dst_reg[1]; v_if (b < 0.0f) { a = b; } v_endif; dst_reg[2] = a;' \
  7010e002 87000000 7b000100 7c000902 7c000100 88000000 7200e004
expect "a builtin's vector is assigned to where a variable is" \
  'vInt a = dst_reg[0], b = dst_reg[1]; a.get() = __builtin_rvtt_sfpmul24(a.get(), b.get(), 1);
   dst_reg[2] = a;' \
  700ce000 701ce002 98001911 7c000100 7204e004
compile 'vFloat a = 0.53f, b = dst_reg[1]; v_if (b < 0.0f) { a = a * b; } v_endif; dst_reg[2] = a;'
if ! riscv64-unknown-elf-objdump -d "$work/kernel.o" | grep -q 'lui.*0x8a003$'; then
  echo "a number that is loaded where the compiler needs it is loaded in some lanes only"
  exit 1
fi
refuse "a ninth vector" \
  'vFloat v[9]; for (int i = 0; i < 9; ++i) v[i] = dst_reg[i];
   for (int i = 0; i < 9; ++i) dst_reg[i] = v[8 - i] * v[i];' 'a ninth vector is alive here'
echo "10 kernels as expected"
