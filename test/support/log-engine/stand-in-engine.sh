#!/usr/bin/env bash
# Operates the stand-in as `npm run test:engine` operates a real server, to try that command without one.
set -eu
folder="${ENGINE_FOLDER:?the folder of the server}"
port=24113
stop() { if [ -f "$folder/pid" ]; then kill -9 "$(cat "$folder/pid")" 2>/dev/null || true; rm "$folder/pid"; fi; }
faults() { curl -sf -X POST -d "$1" "http://127.0.0.1:$((port + 1))/faults"; }
case "$1" in
  url) echo "esdb://127.0.0.1:$port?tls=false" ;;
  empty) stop; mkdir -p "$folder"; rm -f "$folder/log.json" ;;
  start)
    node "$(dirname "$0")/../eventstore-server/main.ts" --port $port --control $((port + 1)) --file "$folder/log.json" \
      >/dev/null 2>&1 </dev/null &
    echo $! > "$folder/pid" ;;
  kill) stop ;;
  pause) kill -STOP "$(cat "$folder/pid")" ;;
  continue) kill -CONT "$(cat "$folder/pid")" ;;
  deny) faults '{"denyAppends": 9007199254740991}' ;;
  allow) faults '{}' ;;
  backup) cp "$folder/log.json" "$folder/backup.json" ;;
  restore) cp "$folder/backup.json" "$folder/log.json" ;;
esac
