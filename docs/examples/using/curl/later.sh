#!/bin/sh
# Enqueues a slip and waits for the end of its job. BASE_URL=… API_KEY=… sh later.sh SUBMISSION PAYLOAD
set -eu
submission=$1 payload=$2

accepted=$(curl --silent --show-error "$BASE_URL/v2/verify/bank/async" \
  -H "Authorization: Bearer $API_KEY" \
  -H "Idempotency-Key: $submission" \
  -H 'Content-Type: application/json' \
  -d "{\"payload\": \"$payload\"}")
job=$(echo "$accepted" | sed -n 's/.*"jobId":"\([^"]*\)".*/\1/p')

while :; do
  answer=$(curl --silent --show-error "$BASE_URL/v2/verify/bank/jobs/$job" -H "Authorization: Bearer $API_KEY")
  case $answer in
    *'"status":"pending"'*) sleep 1 ;;
    *) break ;;
  esac
done
echo "$answer"
