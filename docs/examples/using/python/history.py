"""Prints what was verified under a remark. BASE_URL=… API_KEY=… python3 history.py REMARK"""

import sys
from urllib.parse import urlencode

from sliptrail import sliptrail

query = {"remark": sys.argv[1], "limit": 100}
while True:
    page = sliptrail("GET", f"/v2/verifications?{urlencode(query)}")
    for item in page["items"]:
        print(item["outcome"], item["amount"] or 0)
    if page["nextCursor"] is None:
        break
    query["cursor"] = page["nextCursor"]
