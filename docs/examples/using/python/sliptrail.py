"""Calls SlipTrail with Python's standard library."""

import json
import os
import urllib.error
import urllib.request

BASE_URL = os.environ["BASE_URL"]
API_KEY = os.environ["API_KEY"]


class SlipTrailError(Exception):
    """A call that failed."""

    def __init__(self, status, code, message, issues=()):
        super().__init__(code, message)
        self.status, self.code, self.message, self.issues = status, code, message, issues


def sliptrail(method, path, body=None, idempotency_key=None):
    """Calls SlipTrail and returns the data of the answer. A request with an idempotency key can be repeated."""
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json"}
    if idempotency_key is not None:
        headers["Idempotency-Key"] = idempotency_key
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE_URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)["data"]
    except urllib.error.HTTPError as refused:
        error = json.load(refused)["error"]
        raise SlipTrailError(refused.code, error["code"], error["message"], error.get("issues", ())) from None
