#!/bin/sh
# Prints what was verified under a remark, a page at a time. BASE_URL=… API_KEY=… sh history.sh REMARK
set -eu
remark=$1 cursor=

while :; do
  page=$(curl --silent --show-error --get "$BASE_URL/v2/verifications" \
    -H "Authorization: Bearer $API_KEY" \
    --data-urlencode "remark=$remark" \
    -d limit=100 ${cursor:+-d "cursor=$cursor"})
  echo "$page"
  cursor=$(echo "$page" | sed -n 's/.*"nextCursor":"\([^"]*\)".*/\1/p')
  [ -n "$cursor" ] || break
done
