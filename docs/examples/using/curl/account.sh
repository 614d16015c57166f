#!/bin/sh
# Did the money go to us? BASE_URL=… API_KEY=… sh account.sh PAYLOAD BANK_CODE BANK_NUMBER NAME
set -eu
payload=$1 bank_code=$2 bank_number=$3 name=$4

# Once; later it says BANK_ACCOUNT_DUPLICATE, which is as good.
curl --silent --show-error --output /dev/null "$BASE_URL/v2/bank-accounts" \
  -H "Authorization: Bearer $API_KEY" \
  -H 'Content-Type: application/json' \
  -d "{\"bankCode\": \"$bank_code\", \"bankNumber\": \"$bank_number\", \"nameTh\": \"$name\"}"

curl --silent --show-error "$BASE_URL/v2/verify/bank" \
  -H "Authorization: Bearer $API_KEY" \
  -H 'Content-Type: application/json' \
  -d "{\"payload\": \"$payload\", \"matchAccount\": true}"
