#!/bin/sh
# Prints amount and transRef of a slip's picture. BASE_URL=… API_KEY=… sh picture.sh SUBMISSION FILE
set -eu
submission=$1 file=$2

curl --silent --show-error "$BASE_URL/v2/verify/bank" \
  -H "Authorization: Bearer $API_KEY" \
  -H "Idempotency-Key: $submission" \
  -F "image=@$file"
