#!/bin/sh
# Says whether the money went to our account. BASE_URL=… API_KEY=… sh account.sh PAYLOAD BANK_CODE BANK_NUMBER NAME
set -eu
payload=$1 bank_code=$2 bank_number=$3 name=$4

# The second registration answers BANK_ACCOUNT_DUPLICATE.
curl --silent --show-error --output /dev/null "$BASE_URL/v2/bank-accounts" \
  -H "Authorization: Bearer $API_KEY" \
  -H 'Content-Type: application/json' \
  -d "{\"bankCode\": \"$bank_code\", \"bankNumber\": \"$bank_number\", \"nameTh\": \"$name\"}"

curl --silent --show-error "$BASE_URL/v2/verify/bank" \
  -H "Authorization: Bearer $API_KEY" \
  -H 'Content-Type: application/json' \
  -d "{\"payload\": \"$payload\", \"matchAccount\": true}"
