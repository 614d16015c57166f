"""Says whether an order was paid. BASE_URL=… API_KEY=… python3 verify.py SUBMISSION PAYLOAD AMOUNT"""

import sys

from sliptrail import SlipTrailError, sliptrail


def check_order(submission, payload, amount):
    try:
        slip = sliptrail("POST", "/v2/verify/bank", {"payload": payload, "matchAmount": amount}, submission)
    except SlipTrailError as error:
        # SLIP_NOT_FOUND: no such transfer. SLIP_PENDING: retry in a few minutes.
        return error.code
    if slip["isDuplicate"]:
        return "used before"
    return "paid" if slip["isAmountMatched"] else "another amount"


submission, payload, amount = sys.argv[1:]
print(check_order(submission, payload, float(amount)))
