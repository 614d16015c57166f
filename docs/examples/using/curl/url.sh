#!/bin/sh
# Prints amount and transRef of the slip at a URL. BASE_URL=… API_KEY=… sh url.sh SUBMISSION URL
set -eu
submission=$1 url=$2

curl --silent --show-error "$BASE_URL/v2/verify/bank" \
  -H "Authorization: Bearer $API_KEY" \
  -H "Idempotency-Key: $submission" \
  -H 'Content-Type: application/json' \
  -d "{\"url\": \"$url\"}"
