"""Receives callbacks of SlipTrail. To start it:

WEBHOOK_SECRETS=whsec_… INBOX=/tmp/inbox PORT=8000 python3 receive.py
"""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TOLERANCE_SECONDS = 300
MAX_BYTES = 1024 * 1024

# The valid secrets, separated by spaces: two during a rotation.
WEBHOOK_SECRETS = os.environ["WEBHOOK_SECRETS"].split()
INBOX = Path(os.environ["INBOX"])

if not WEBHOOK_SECRETS or not all(re.fullmatch(r"whsec_[A-Za-z0-9+/]{32,}={0,2}", s) for s in WEBHOOK_SECRETS):
    raise SystemExit("WEBHOOK_SECRETS must contain a secret whsec_…")


def is_genuine(body, headers):
    """Whether one of the secrets signed exactly these bytes, in the last five minutes."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    signatures = headers.get("webhook-signature", "").split(" ")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    genuine = False
    for secret in WEBHOOK_SECRETS:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
        for signature in signatures:
            genuine |= hmac.compare_digest(expected.encode(), signature.encode())
    return genuine


def store(job_id, body):
    """Stores a callback for later work. A repeated callback has the same bytes and replaces the file."""
    temporary = INBOX / f"{job_id}.json.{secrets.token_hex(8)}"
    temporary.write_bytes(body)
    temporary.replace(INBOX / f"{job_id}.json")


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        try:
            status = self.answer()
        except Exception as error:
            # An error of the receiver: with 500 the callback is sent again.
            self.log_error("%s", error)
            status = 500
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self):
        length = int(self.headers.get("Content-Length", "0"))
        if length > MAX_BYTES:
            return 413
        body = self.rfile.read(length)
        if not is_genuine(body, self.headers):
            return 401
        job_id = json.loads(body)["jobId"]
        if not re.fullmatch(r"[0-9a-f-]{36}", job_id):
            return 400
        store(job_id, body)
        return 200


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver).serve_forever()
