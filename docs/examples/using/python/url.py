"""Prints amount and transRef of the slip at a URL. BASE_URL=… API_KEY=… python3 url.py SUBMISSION URL"""

import sys

from sliptrail import sliptrail

submission, url = sys.argv[1:]
slip = sliptrail("POST", "/v2/verify/bank", {"url": url}, submission)
print(slip["amountInSlip"], slip["rawSlip"]["transRef"])
