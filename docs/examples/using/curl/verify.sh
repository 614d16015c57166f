#!/bin/sh
# Says whether an order was paid. BASE_URL=… API_KEY=… sh verify.sh SUBMISSION PAYLOAD AMOUNT
set -eu
submission=$1 payload=$2 amount=$3

curl --silent --show-error "$BASE_URL/v2/verify/bank" \
  -H "Authorization: Bearer $API_KEY" \
  -H "Idempotency-Key: $submission" \
  -H 'Content-Type: application/json' \
  -d "{\"payload\": \"$payload\", \"matchAmount\": $amount}"
