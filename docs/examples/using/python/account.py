"""Says whether the money went to our account. BASE_URL=… API_KEY=… python3 account.py PAYLOAD BANK_CODE BANK_NUMBER NAME"""

import sys

from sliptrail import SlipTrailError, sliptrail

payload, bank_code, bank_number, name = sys.argv[1:]

try:
    sliptrail("POST", "/v2/bank-accounts", {"bankCode": bank_code, "bankNumber": bank_number, "nameTh": name})
except SlipTrailError as error:
    # The account is registered already.
    if error.code != "BANK_ACCOUNT_DUPLICATE":
        raise

slip = sliptrail("POST", "/v2/verify/bank", {"payload": payload, "matchAccount": True})
account = slip["matchedAccount"]
if account is None:
    print("not to us:", "; ".join(slip["match"]["reasons"]))
else:
    print("to our account", account["bankNumber"])
