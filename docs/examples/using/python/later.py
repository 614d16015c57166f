"""Enqueues a slip and waits for the end of its job. BASE_URL=… API_KEY=… python3 later.py SUBMISSION PAYLOAD"""

import sys
import time

from sliptrail import sliptrail

submission, payload = sys.argv[1:]
job_id = sliptrail("POST", "/v2/verify/bank/async", {"payload": payload}, submission)["jobId"]
while (job := sliptrail("GET", f"/v2/verify/bank/jobs/{job_id}"))["status"] == "pending":
    time.sleep(1)
print(job["status"], job["data"]["amountInSlip"] if job["status"] == "success" else job["error"]["code"])
