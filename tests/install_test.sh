#!/bin/bash
# The installed package serves its clients: installs into a folder of its own, moves that, then runs
# a program there, and builds and runs the API examples by pkg-config (C and C++) and by
# find_package(bhemu).
#   install_test.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
quietly() { "$@" >"$log" 2>&1 || { cat "$log"; exit 1; }; }
quietly cmake --install "$build" --prefix "$work/elsewhere"
mv "$work/elsewhere" "$work/installed"
libraries=$(dirname "$(find "$work/installed" -name libbhemu.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries

quietly "$work/installed/bin/bhemu" run "$work/installed/share/bhemu/examples/add_scalar.yaml" \
  --output "$work"
grep -q PASSED "$log"

cc -Wall -Wextra -Werror "$source/examples/api/add.c" -o "$work/add" \
  $(pkg-config --cflags --libs bhemu)
"$work/add" | grep -q "^40 + 2 = 42"
c++ -std=c++17 -Wall -Wextra -Werror "$source/examples/api/fork.cpp" -o "$work/fork" \
  $(pkg-config --cflags --libs bhemu)
"$work/fork" | grep -c "^future" | grep -qx 3

if [[ $(uname -m) == x86_64 ]]; then
  "$work/installed/bin/bhemu" shim -- ls /dev/tenstorrent | grep -qx 0
fi

mkdir "$work/client"
cp "$source/examples/api/add.c" "$work/client"
cat >"$work/client/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(client LANGUAGES C CXX)
find_package(bhemu 0.2 REQUIRED)
add_executable(client add.c)
target_link_libraries(client PRIVATE bhemu::bhemu)
CMAKE
quietly cmake -G Ninja -S "$work/client" -B "$work/client/build" \
  -DCMAKE_PREFIX_PATH="$work/installed"
quietly cmake --build "$work/client/build"
"$work/client/build/client" | grep -q "^40 + 2 = 42"
echo "installed, and three clients built and run"
