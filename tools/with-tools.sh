#!/bin/sh
# Runs a command with the tools of tools/package.json on PATH, installing them the first time.
# `effect-tsc` stands for the TypeScript compiler with the Effect diagnostics built in.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
stamp="$here/node_modules/.installed-$(cksum < "$here/package.json" | cut -d' ' -f1)"
if [ ! -f "$stamp" ]; then
  echo "installing the tools of tools/package.json" >&2
  (cd "$here" && npm install --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
  touch "$stamp"
fi
PATH="$here/node_modules/.bin:$PATH"
export PATH
command=$1
shift
if [ "$command" = effect-tsc ]; then command=$(effect-tsgo get-exe-path); fi
exec "$command" "$@"
