#!/bin/bash
# Runs test programs on processors that this machine does not have (qemu-user), and with each kind
# of vectors alone (BHEMU_SIMD). Usage: processors_test.sh BINARY_DIR [quick|all [PART...]]
# "quick": a part that takes seconds. "all": every test program, which takes an hour, but for the
# shim's (it needs signal frames that qemu-user does not make), the command's (its tests start the
# command, which would run on this processor), and the comparison of RISC-V with qemu.
# Exit status 77: qemu-x86_64 is not installed, or this is no x86-64.
set -euo pipefail

bin=$1/bin
extent=${2:-quick}
if ! command -v qemu-x86_64 > /dev/null || [[ $(uname -m) != x86_64 ]]; then
  echo "skipped: there is no qemu-x86_64 here"
  exit 77
fi

cpus=(Nehalem Haswell Skylake-Server)
vectors=(SCALAR SSE2 SSSE3 SSE4 AVX2 AVX3 AVX3_DL)
declare -A filter=(
  [numeric]='SfpuMulAdd.*:RiscvFloatFlags.of_comp*:UnpackRows.*:Hosts/SfpuKernels.*shift*'
  [tensix]='*FpuKernels.moves*:*FpuKernels.zero*:Pack.*:SfpuMemory.*'
  [tile]='TagSearch.finds*:Tile.*'
)
if [[ $extent == all ]]; then
  filter=([base]='*' [numeric]='*' [riscv]='-*Qemu*:*qemu*' [tensix]='*' [noc]='*' [tile]='*'
    [eth]='*' [device]='*' [programs]='*' [host]='*' [card]='*' [kmd]='*' [capi]='*' [trace]='*'
    [audit]='*' [tools]='*')
fi
parts=$(printf '%s\n' "${!filter[@]}" | sort)
if (($# > 2)); then parts=${*:3}; fi

failed=0
run() {
  local what=$1 part=$2
  shift 2
  local begun=$SECONDS
  if "$@" "$bin/bhemu_test_$part" --gtest_brief=1 --gtest_filter="${filter[$part]}"; then
    echo "passed: $part on $what, $((SECONDS - begun)) s"
  else
    echo "FAILED: $part on $what"
    failed=1
  fi
}

export BHEMU_ROUNDS=${BHEMU_ROUNDS:-200}
for part in $parts; do
  [[ -x $bin/bhemu_test_$part ]] || continue
  for cpu in "${cpus[@]}"; do
    # qemu says what it cannot emulate of a processor; it then does without.
    run "$cpu" "$part" qemu-x86_64 -cpu "$cpu" 2> >(grep -v "warning: TCG doesn't support" >&2)
  done
done
for part in audit numeric tensix programs; do
  [[ " ${parts//$'\n'/ } " == *" $part "* && -x $bin/bhemu_test_$part ]] || continue
  for kind in "${vectors[@]}"; do
    status=0
    BHEMU_SIMD=$kind "$bin/bhemu_test_$part" --gtest_brief=1 \
      --gtest_filter="${filter[$part]}" || status=$?
    ((status == 0 || status == 77)) || { echo "FAILED: $part with $kind"; failed=1; }
  done
done
exit $failed
