#!/bin/bash
# Runs cross-built test programs on aarch64 processors (qemu-user): with NEON only, and with SVE of
# each length for which the kernels are compiled apart.
#   aarch64_test.sh BINARY_DIR SYSROOT [quick|all [PART...]]
# "quick": a part that takes minutes. "all": every test program that has been built, which takes
# hours, but for the comparison of RISC-V with qemu, and for tests that start the command where
# this machine cannot. PART "python" is the Python package with its tests.
# Exit status 77: qemu-aarch64 is not installed, or nothing has been built.
set -euo pipefail

binary=$(cd "$1" && pwd)
sysroot=$(cd "$2" && pwd)
extent=${3:-quick}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if ! command -v qemu-aarch64 > /dev/null; then
  echo "skipped: there is no qemu-aarch64 here"
  exit 77
fi

# Tests start the command themselves: this machine has to know what to do with its processor
# (binfmt_misc, which Debian's package qemu-user-binfmt or qemu-user-static sets up).
export QEMU_LD_PREFIX=$sysroot
commands() { "$binary/bin/bhemu" --version > /dev/null 2>&1; }

# What programs without vectors of their own run on, and what vectors each of the others has.
usual=max
declare -A vectors=(
  [NEON]=cortex-a72
  [SVE]=a64fx
  [SVE_256]="max,sve-default-vector-length=32"
  [SVE2_128]="max,sve-default-vector-length=16"
  [SVE2]="max,sve-default-vector-length=256"
)
declare -A filter=(
  [numeric]='Hosts/SfpuKernels.*:UnpackRows.*:PackRows.*'
  [tensix]='*FpuKernels.*:*FpuNarrowProduct.*'
)
if [[ $extent == all ]]; then
  filter=()
  for program in "$binary"/bin/bhemu_test_*; do
    [[ -x $program ]] && filter[${program##*/bhemu_test_}]='*'
  done
  unset 'filter[shim]'
  commands || unset 'filter[cli]'
  if [[ -v filter[riscv] ]]; then filter[riscv]='-*Qemu*:*qemu*'; fi
  if [[ -d $binary/python/bhemu ]]; then filter[python]='*'; fi
fi
parts=$(printf '%s\n' "${!filter[@]}" | sort)
if (($# > 3)); then parts=${*:4}; fi

# Under qemu-user 7.2 a process grows with every device that it makes, which maps 32 GiB each, and
# never shrinks (eight tests of hazard: 7 GB): such programs are run a few tests at a time.
batch=8
declare -A devices
for part in audit capi card cli device eth gdb hazard host hunt kmd programs race tools \
  trace watch; do
  devices[$part]=1
done

failed=0
passed=0
run() {
  local what=$1 begun=$SECONDS
  shift
  if "$@"; then
    echo "passed: $what, $((SECONDS - begun)) s"
    passed=$((passed + 1))
  else
    echo "FAILED: $what"
    failed=1
  fi
}

# Debian's numpy finds these by links that only its installation makes.
algebra=/usr/lib/aarch64-linux-gnu
python() {
  qemu-aarch64 -L "$sysroot" -cpu "$usual" -E "PYTHONPATH=$binary/python" \
    -E "LD_LIBRARY_PATH=$algebra/blas:$algebra/lapack" "$sysroot/usr/bin/python3" "$@"
}

# A program of Google Test, in as many processes as it takes.
#   suite PART COMMAND...
suite() {
  local part=$1 shards=1 tests shard status=0
  shift
  if [[ -v devices[$part] ]]; then
    tests=$("$@" --gtest_list_tests | grep -c '^  ' || true)
    shards=$(((tests + batch - 1) / batch))
    ((shards > 0)) || shards=1
  fi
  for ((shard = 0; shard < shards; ++shard)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard "$@" || status=1
  done
  return $status
}

python_suite() {
  local tests
  mapfile -t tests < <(python -m pytest -q --collect-only -p no:cacheprovider \
    --rootdir "$source/python" "$source/python/tests" | sed -n "/::/s|^|$source/python/|p")
  ((${#tests[@]})) || return 1
  local first status=0
  for ((first = 0; first < ${#tests[@]}; first += batch)); do
    python -m pytest -q -p no:cacheprovider "${tests[@]:first:batch}" || status=1
  done
  return $status
}

export BHEMU_ROUNDS=${BHEMU_ROUNDS:-200}
for part in $parts; do
  if [[ $part == python ]]; then
    run "the Python package" python_suite
    continue
  fi
  program=$binary/bin/bhemu_test_$part
  if [[ ! -x $program ]]; then
    echo "not built: $part"
    continue
  fi
  arguments=(--gtest_brief=1 "--gtest_filter=${filter[$part]:-*}")
  if [[ $part =~ ^(numeric|tensix|programs|audit)$ ]]; then
    for kind in "${!vectors[@]}"; do
      run "$part with $kind" suite "$part" env -u BHEMU_SIMD \
        qemu-aarch64 -L "$sysroot" -cpu "${vectors[$kind]}" "$program" "${arguments[@]}"
    done
  else
    run "$part" suite "$part" \
      qemu-aarch64 -L "$sysroot" -cpu "$usual" "$program" "${arguments[@]}"
  fi
done
if ((failed == 0 && passed == 0)); then
  echo "skipped: no test program has been built in $binary"
  exit 77
fi
exit $failed
