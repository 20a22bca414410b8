#!/bin/sh
# Manual pages and completion scripts of the built command.
#   manual.sh FOLDER COMMAND... (bhemu, behind what runs it)
set -eu
folder=$1
shift
mkdir -p "$folder/man1"
"$@" man > "$folder/man1/bhemu.1"
for name in $("$@" man | sed -n 's/^.fBbhemu.-\(.*\).fR(1)$/\1/p' | tr -d '\\'); do
  "$@" man "$name" > "$folder/man1/bhemu-$name.1"
done
"$@" completion bash > "$folder/bhemu.bash"
"$@" completion zsh > "$folder/_bhemu"
"$@" completion fish > "$folder/bhemu.fish"
touch "$folder/stamp"
