#!/bin/bash
# Builds everything that runs on the emulated chip (firmware, kernels, the SDK's generated headers)
# into a folder: build_guest.sh OUT. The same sources give the same bytes, wherever they lie. With
# the checkout itself as OUT the checked-in files are renewed; the headers that are generated are
# read from the checkout, so after a change of a table that is the way to build.
# build_guest.sh OUT PARTS: of the kernels only one in PARTS, and no sums.
set -euo pipefail
if [[ $# -lt 1 || $# -gt 2 || ! ${2:-1} =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: $0 OUT [PARTS]" >&2
  exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
parts=${2:-1}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
export LC_ALL=C SOURCE_DATE_EPOCH=0

prefix=riscv64-unknown-elf-
cores=(brisc ncrisc trisc0 trisc1 trisc2)
flags=(-march=rv32im_zicsr_zba_zbb -mabi=ilp32 -mcmodel=medany -std=gnu2x -O2 -g1
  -Wall -Wextra -Werror -ffreestanding -fno-builtin -fno-tree-loop-distribute-patterns
  -fno-jump-tables -fno-stack-protector -fno-asynchronous-unwind-tables -fno-unwind-tables
  --param=min-pagesize=0 -fno-pic -msmall-data-limit=0 -mno-relax -gno-record-gcc-switches
  "-ffile-prefix-map=$root=."
  -Ifirmware/include -Ikernels/sdk)
link=(-nostdlib -nostartfiles -static "-Wl,--build-id=none,--no-relax,--fatal-warnings"
  "-Wl,-z,max-page-size=4")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile CORE OBJECT SOURCE [FLAG...]  (assembly without -g: as would note the folder)
compile() {
  local core=$1 object=$2 source=$3
  shift 3
  "${prefix}gcc" "${flags[@]}" "-DGUEST_CORE=$core" "$@" \
    -c "$source" -o "$work/$object"
}

generate_sdk() {
  mkdir -p "$out/kernels/sdk"
  "${CXX:-g++}" -std=c++20 -O1 -Isrc tools/gen_sdk.cpp -o "$work/gen_sdk"
  "$work/gen_sdk" "$out/kernels/sdk"
}

# firmware CORE TEXT_BASE TEXT_SIZE LDM_IMAGE STACK
firmware() {
  local core=$1 name=${cores[$1]}
  local source=firmware/src/$name.c
  if ((core >= 2)); then source=firmware/src/trisc.c; fi
  compile "$core" start.o firmware/src/start.S -g0
  compile "$core" ldm.o firmware/src/ldm.S -g0
  compile "$core" main.o "$source"
  (cd "$work" && "${prefix}gcc" "${flags[@]:0:2}" "${link[@]}" \
    -T "$root/firmware/link/firmware.ld" \
    "-Wl,--defsym=__text_base=$2,--defsym=__text_size=$3,--defsym=__ldm_init_base=$4" \
    "-Wl,--defsym=__initial_stack=$5" start.o ldm.o main.o \
    -o "$out/firmware/prebuilt/$name.elf")
}

# The stand-in for the base firmware of Ethernet tiles: a flat image for 0x70000.
ethernet_firmware() {
  compile 0 start.o firmware/ethernet/base.S -g0
  compile 0 main.o firmware/ethernet/base.c
  (cd "$work" && "${prefix}gcc" "${flags[@]:0:2}" "${link[@]}" \
    -T "$root/firmware/ethernet/base.ld" start.o main.o \
    -o "$out/firmware/ethernet/prebuilt/base.elf")
  "${prefix}objcopy" -O binary -j .text "$out/firmware/ethernet/prebuilt/base.elf" \
    "$out/firmware/ethernet/prebuilt/base.bin"
}

# check_kernel OBJECT: a kernel has no data of its own and runs at any address, so nothing in it may
# be absolute. (Debug sections are full of absolute words; only those of .text count.)
check_kernel() {
  if "${prefix}readelf" -rSW "$work/$1" | awk '
      /^Relocation section/ { text = $3 ~ /^.\.rela\.text/; next }
      text && / R_RISCV_(32|64|HI20|LO12_[IS]|GOT_HI20|TPREL|TLS)/ { print; bad = 1 }
      / \.(data|bss|sdata|sbss|got)/ && $0 ~ / (PROGBITS|NOBITS) / {
        sub(/^ *\[ *[0-9]+\]/, "")
        if ($5 !~ /^0+$/) { print; bad = 1 }
      }
      END { exit !bad }' >&2; then
    echo "$2: position-dependent code, or data, which a kernel cannot have" >&2
    exit 1
  fi
}

# Of one in $parts, by name: a kernel that is built twice is wanted, or not, both times.
is_wanted() {
  local i code sum=0
  for ((i = 0; parts != 1 && i < ${#1}; ++i)); do
    printf -v code %d "'${1:i:1}"
    sum=$(((sum * 31 + code) % 65521))
  done
  ((sum % parts == 0))
}

# kernel NAME CORE SOURCE [FLAG...]
images=kernels/prebuilt
kernel() {
  local name=$1 core=$2 source=$3
  shift 3
  is_wanted "$name$core" || return 0
  local elf=$out/$images/$name/${cores[$core]}.elf
  mkdir -p "$out/$images/$name"
  compile "$core" kernel.o "$source" "$@"
  check_kernel kernel.o "$elf"
  (cd "$work" && "${prefix}gcc" "${flags[@]:0:2}" "${link[@]}" -T "$root/kernels/sdk/kernel.ld" \
    kernel.o -o "$elf")
}

# kernel_linked_as_one NAME CORE SOURCE: the compiler sees the program when it is linked. It does so
# in the checkout, whose paths it would not shorten elsewhere.
kernel_linked_as_one() {
  local elf=$out/$images/$1/${cores[$2]}.elf
  mkdir -p "$(dirname "$elf")"
  compile "$2" kernel.o "$3" -flto -frandom-seed=0
  "${prefix}gcc" "${flags[@]}" "${link[@]}" -flto -frandom-seed=0 \
    -T kernels/sdk/kernel.ld "$work/kernel.o" -o "$elf"
}

sums() {
  if ((parts != 1)); then return; fi
  (cd "$1" && find . -name '*.elf' -o -name '*.bin' | sort | xargs sha256sum > SHA256SUMS)
}

generate_sdk
mkdir -p "$out/firmware/prebuilt"
firmware 0 0x3840 7168 0x86B0 0xFFB01FF0
firmware 1 0x5440 1536 0xA6B0 0xFFB01FF0
firmware 2 0x5A40 1536 0xC6B0 0xFFB00FF0
firmware 3 0x6040 2560 0xD6B0 0xFFB00FF0
firmware 4 0x6A40 1536 0xE6B0 0xFFB00FF0
sums "$out/firmware/prebuilt"
mkdir -p "$out/firmware/ethernet/prebuilt"
ethernet_firmware
sums "$out/firmware/ethernet/prebuilt"

source kernels/build.list
sums "$out/kernels/prebuilt"

# hang NAME CORE...: a program that hangs, and its twin that does not.
hang() {
  local name=$1
  shift
  for core in "$@"; do
    kernel "$name" "$core" "tests/hangs/$name.c"
    kernel "${name}_mended" "$core" "tests/hangs/$name.c" -DMENDED
  done
}
images=tests/hangs/prebuilt
source tests/hangs/build.list
sums "$out/$images"
if ((parts == 1)); then tools/guest_inputs.sh > "$out/kernels/prebuilt/INPUTS"; fi
