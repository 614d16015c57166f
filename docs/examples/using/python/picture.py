"""Prints amount and transRef of a slip's picture. BASE_URL=… API_KEY=… python3 picture.py SUBMISSION FILE"""

import base64
import sys
from pathlib import Path

from sliptrail import sliptrail

submission, file = sys.argv[1:]
image = base64.b64encode(Path(file).read_bytes()).decode()
slip = sliptrail("POST", "/v2/verify/bank", {"image": image}, submission)
print(slip["amountInSlip"], slip["rawSlip"]["transRef"])
