#!/usr/bin/env sh
# Runs the tests of the service on shared stores against a server of the caller, one after the other.
set -eu
if [ -z "${ENGINE:-}" ]; then
  echo "Set ENGINE to a command that operates the server: docs/beyond-one-machine.md, \"Trying a server\"." >&2
  exit 2
fi
tests="killed paused away changed-streams limited-streams rights restored flushed many trail"
exec node node_modules/vitest/vitest.mjs run --no-file-parallelism --testTimeout 300000 --hookTimeout 300000 \
  $(for name in $tests; do echo "test/e2e/shared/$name."; done) "$@"
