# Read by .ci/run and .ci/nightly: installs what the machine lacks, and runs steps.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec < /dev/null

# A test whose program is missing fails. Without CI it is skipped.
export CI=true

missing=()
while read -r package programs; do
  # Any of the programs will do.
  for program in $programs; do if command -v "$program" > /dev/null; then continue 2; fi; done
  missing+=("$package")
done < test/support/programs.txt
if [ "${#missing[@]}" -gt 0 ]; then
  as_root=$([ "$(id -u)" = 0 ] || echo sudo)
  $as_root apt-get update
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
fi

npm ci

reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
failed_steps=()
test_reports=()

# step NAME LIMIT COMMAND...: a step that fails does not stop the later ones.
step() {
  local name=$1 limit=$2 begun=$SECONDS
  shift 2
  echo "== $name"
  timeout --kill-after=10s "$limit" "$@" || failed_steps+=("$name")
  echo "== $name took $((SECONDS - begun)) s"
}

# test_step NAME LIMIT SCRIPT...: runs an npm script of tests, whose results the last line of finish counts.
test_step() {
  local name=$1 limit=$2 report="$reports/${#test_reports[@]}.json"
  shift 2
  test_reports+=("$name=$report")
  step "$name" "$limit" npm run "$@" -- --reporter=default --reporter=json --outputFile.json="$report"
}

# Ends with the line `N passed, N failed`, the sum of all test steps.
finish() {
  local status=0
  PATH="$PWD/node_modules/.bin:$PATH" node tools/count-tests.ts "${test_reports[@]}" > "$reports/count" || status=1
  if [ "${#failed_steps[@]}" -gt 0 ]; then
    status=1
    printf 'did not succeed: %s\n' "${failed_steps[@]}"
  fi
  cat "$reports/count"
  exit "$status"
}
