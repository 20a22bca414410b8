#!/bin/bash
# pip installs the package into a virtual environment, where its tests pass.
#   python_test.sh NATIVE_MODULE PYTHON    the module that the build has made, and for which Python
set -euo pipefail
export BHEMU_PYTHON_MODULE=$1
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# numpy and pytest are the system's.
"$2" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "$source"
cd "$work"
"$work/venv/bin/python" -m pytest -q -p no:cacheprovider "$source/python/tests"
