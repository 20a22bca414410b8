#!/bin/bash
# The packages of `./dev package`, in a system with nothing else: a fresh chroot is made, the
# packages are installed with what they depend on, and used as a user would.
#   package_test.sh FOLDER [SUITE]     packages and wheel are in FOLDER; SUITE of Debian (default:
#                                      the one that runs here)
# Wants root, mmdebstrap and a mirror; exit status 77 without them.
set -euo pipefail
folder=$(cd "$1" && pwd)
suite=${2:-$(. /etc/os-release && echo "${VERSION_CODENAME:-}")}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if ((EUID != 0)) || ! command -v mmdebstrap > /dev/null; then
  echo "skipped: wants root and mmdebstrap"
  exit 77
fi
work=$(mktemp -d)
root=$work/root
cleanup() {
  for place in dev/pts proc; do
    if mountpoint -q "$root/$place"; then umount "$root/$place"; fi
  done
  rm -rf "$work"
}
trap cleanup EXIT
log=$work/log
quietly() { "$@" > "$log" 2>&1 || { tail -n 40 "$log"; echo "failed: $*"; exit 1; }; }

quietly mmdebstrap --variant=apt --include=ca-certificates "$suite" "$root"
mkdir "$root/packages"
cp "$folder"/*.deb "$root/packages"
cp "$source/examples/api/add.c" "$root/packages"
mount -t proc proc "$root/proc"
mount -t devpts devpts "$root/dev/pts"
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
  DEBIAN_FRONTEND=noninteractive "$@"; }
quietly inside apt-get -q update
began=$SECONDS
quietly inside sh -c 'apt-get -q -y --no-install-recommends install /packages/*.deb'
echo "installed in $((SECONDS - began)) s: $(cd "$folder" && echo ./*.deb)"

installed=$SECONDS
inside bhemu run /usr/share/bhemu/examples/add_scalar.yaml --output /tmp | tee "$log"
grep -q PASSED "$log"
echo "passed $((SECONDS - installed)) s after it was installed," \
  "$((SECONDS - began)) s after the first package was asked for"
inside bhemu shim -- ls /dev/tenstorrent | grep -qx 0
inside sh -c 'test -s /usr/share/man/man1/bhemu.1 || test -s /usr/share/man/man1/bhemu.1.gz'
inside python3 -c 'import bhemu; print("Python:", bhemu.__version__)'

quietly inside apt-get -q -y --no-install-recommends install gcc libc6-dev pkg-config python3-venv
inside sh -c 'gcc /packages/add.c -o /add $(pkg-config --cflags --libs bhemu) && /add' |
  grep -q '^40 + 2 = 42'
echo "a C client was built and run"

# Completion, in the shells themselves.
quietly inside apt-get -q -y --no-install-recommends install zsh fish
inside bash -c '. /usr/share/bash-completion/completions/bhemu
  COMP_WORDS=(bhemu inf) COMP_CWORD=1; _bhemu; echo "${COMPREPLY[@]}"' | grep -qx info
# zsh reads the file when the key is pressed for the first time; so a shell that somebody types to.
inside zsh -fc 'zmodload zsh/zpty
  zpty shell TERM=dumb zsh -fi
  zpty -w shell "autoload -U compinit; compinit -D; bhemu() { print \"got:\$*:\" }"
  zpty -w shell "bhemu inf"$'"'\t'"'
  zpty -r shell out "*got:[a-z]*:*" && print -r -- ${(M)out%%got:[a-z]*:*}' | grep -q got:info:
inside fish -c 'complete -C "bhemu inf"' | grep -q '^info'
echo "bash, zsh and fish complete its commands"

# The wheel, where none of our packages is: without a compiler, with numpy from Debian.
wheels=("$folder"/*.whl)
if [[ -e ${wheels[0]} ]]; then
  quietly inside apt-get -q -y purge bhemu libbhemu0 libbhemu-dev python3-bhemu
  quietly inside apt-get -q -y --purge autoremove
  quietly inside apt-get -q -y --no-install-recommends install python3-venv python3-numpy
  cp "${wheels[@]}" "$root/packages"
  quietly inside python3 -m venv --system-site-packages /venv
  quietly inside sh -c '/venv/bin/pip install --no-index --find-links /packages bhemu'
  inside /venv/bin/python -c \
    'import bhemu; d = bhemu.Device(); print("wheel:", bhemu.__version__)'
fi
echo "the packages work in a bare $suite"
