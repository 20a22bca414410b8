#!/bin/bash
# Runs test programs on processors that this machine does not have (qemu-user), and with each kind
# of vectors alone (BHEMU_SIMD). Usage: processors_test.sh BINARY_DIR [quick|all [PART...]]
# "quick": a part that takes seconds. "all": every test program, which takes hours, but for the
# shim's (it needs signal frames that qemu-user does not make), the command's and gdb's (they start
# other programs, which would run on this processor), and the comparison of RISC-V with qemu.
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
    [audit]='*' [tools]='*' [race]='*' [hazard]='*' [hunt]='*' [watch]='*')
fi
parts=$(printf '%s\n' "${!filter[@]}" | sort)
if (($# > 2)); then parts=${*:3}; fi

failed=0
# qemu-user keeps a descriptor for every page that was ever mapped, 200 MB for the DRAM of each
# device. So a program's tests are shared among processes, of which none makes too many.
run() {
  local what=$1 part=$2
  shift 2
  local begun=$SECONDS tests shards shard
  tests=$("$bin/bhemu_test_$part" --gtest_list_tests --gtest_filter="${filter[$part]}" |
    grep -c '^  ' || true)
  shards=$(((tests + 7) / 8))
  for ((shard = 0; shard < shards; ++shard)); do
    if ! GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard "$@" "$bin/bhemu_test_$part" \
      --gtest_brief=1 --gtest_filter="${filter[$part]}" > "$log" 2>&1; then
      cat "$log"
      echo "FAILED: $part on $what"
      failed=1
      return
    fi
  done
  echo "passed: $part on $what, $tests tests, $((SECONDS - begun)) s"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
export BHEMU_ROUNDS=${BHEMU_ROUNDS:-200}
for part in $parts; do
  [[ -x $bin/bhemu_test_$part ]] || continue
  for cpu in "${cpus[@]}"; do
    # What qemu cannot emulate of a processor it does without; tests that read what is said on
    # standard error do not expect it to say so.
    run "$cpu" "$part" qemu-x86_64 -cpu "$cpu,check=off"
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
