#!/usr/bin/env python3
"""Checks a proof of SlipTrail with the public key alone: check_proof.py proof.json signing.pub

Needs Python 3.8 and openssl 3. docs/proof.md describes what is hashed and signed.
"""
import base64
import hashlib
import json
import os
import subprocess
import sys
import tempfile


class Number(str):
    """A number as text. The proof writes numbers in the form of RFC 8785."""


def members(pairs):
    """An object. Parsers disagree about duplicate names, so they are an error."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("an object has a duplicate name")
    return dict(pairs)


def canonical(value):
    """Canonical JSON (RFC 8785)."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(json.dumps(key, ensure_ascii=False) + ":" + canonical(value[key]) for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def sha256(data):
    return hashlib.sha256(data).digest()


def leaf_of(event):
    names = ("position", "id", "stream", "revision", "type", "data", "metadata")
    return sha256(b"\x00" + canonical([event[name] for name in names]).encode())


def root_along(leaf, index, size, path):
    """The root that a leaf leads to (RFC 9162, section 2.1.3.2); None when the path does not fit."""
    if index >= size:
        return None
    last, root = size - 1, leaf
    for node in map(bytes.fromhex, path):
        if last == 0:
            return None
        if index % 2 == 1 or index == last:
            root = sha256(b"\x01" + node + root)
            while index % 2 == 0 and index != 0:
                index, last = index // 2, last // 2
        else:
            root = sha256(b"\x01" + root + node)
        index, last = index // 2, last // 2
    return root if last == 0 else None


def is_signed(checkpoint, key_file):
    """Whether the key signed a checkpoint: Ed25519 over all fields except the signature."""
    text = canonical({name: value for name, value in checkpoint.items() if name != "signature"})
    with tempfile.TemporaryDirectory() as folder:
        signed, signature = os.path.join(folder, "text"), os.path.join(folder, "signature")
        with open(signed, "wb") as file:
            file.write(text.encode())
        with open(signature, "wb") as file:
            file.write(base64.b64decode(checkpoint["signature"]))
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key_file, "-rawin", "-in", signed,
                   "-sigfile", signature]
        return subprocess.run(command, capture_output=True).returncode == 0


def main(proof_file, key_file):
    with open(proof_file, encoding="utf-8") as file:
        proof = json.load(file, parse_int=Number, parse_float=Number, object_pairs_hook=members)
    checkpoints = {checkpoint["number"]: checkpoint for checkpoint in proof["checkpoints"]}
    signed = {number for number, checkpoint in checkpoints.items() if is_signed(checkpoint, key_file)}
    positions = [entry["event"]["position"] for entry in proof["entries"]]
    holds = len(set(positions)) == len(positions)
    for entry in proof["entries"]:
        event, checkpoint = entry["event"], checkpoints[entry["checkpoint"]]
        size = int(checkpoint["count"]) - int(checkpoint["from"])
        root = root_along(leaf_of(event), int(entry["index"]), size, entry["path"])
        proven = checkpoint["number"] in signed and root is not None and root.hex() == checkpoint["merkleRoot"]
        holds = holds and proven
        print("proven" if proven else "NOT PROVEN", event["type"], "at", event["position"], "signed", checkpoint["at"])
    return 0 if holds and proof["entries"] else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print("usage: check_proof.py proof.json signing.pub", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
