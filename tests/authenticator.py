"""A software authenticator: makes passkeys and signs with them, honestly or not as told.

Web Authentication, level 2: sections 6.1 (authenticator data), 6.5.4 (no attestation), 7.
"""

import hashlib
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, ELIGIBLE, SYNCED, ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40


def b64(data):
    return urlsafe_b64encode(data).decode().rstrip("=")


def unb64(text):
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Authenticator:
    """One device with one passkey a site."""

    def __init__(self, origin="https://gateway.example", flags=PRESENT | VERIFIED):
        self.origin = origin
        self.flags = flags
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential = secrets.token_bytes(32)
        self.handle = b""
        self.count = 0

    def make(self, options, **changes):
        """``navigator.credentials.create`` with these options: the answer as JSON."""
        asked = json.loads(options)
        self.handle = unb64(asked["user"]["id"])
        numbers = self.key.public_key().public_numbers()
        cose = {
            1: 2,
            3: -7,
            -1: 1,
            -2: numbers.x.to_bytes(32, "big"),
            -3: numbers.y.to_bytes(32, "big"),
        }
        attested = bytes(16) + len(self.credential).to_bytes(2, "big") + self.credential
        party = changes.get("party", asked["rp"]["id"])
        data = self._data(party, self.flags | ATTESTED) + attested + cbor2.dumps(cose)
        client = self._client("webauthn.create", asked["challenge"], changes)
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        response = {
            "clientDataJSON": b64(client),
            "attestationObject": b64(attestation),
            "transports": ["internal", "hybrid", "<odd>"],
        }
        return self._answer(response)

    def sign(self, options, **changes):
        """``navigator.credentials.get`` with these options: the answer as JSON."""
        asked = json.loads(options)
        self.count += changes.get("count", 1)
        data = self._data(changes.get("party", asked["rpId"]), self.flags)
        client = self._client("webauthn.get", asked["challenge"], changes)
        key = changes.get("key", self.key)
        signed = key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        response = {
            "clientDataJSON": b64(client),
            "authenticatorData": b64(data),
            "signature": b64(signed),
            "userHandle": b64(changes.get("handle", self.handle)),
        }
        return self._answer(response)

    def _answer(self, response):
        name = b64(self.credential)
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": response})

    def _data(self, party, flags):
        digest = hashlib.sha256(party.encode()).digest()
        return digest + bytes([flags]) + self.count.to_bytes(4, "big")

    def _client(self, kind, challenge, changes):
        said = {
            "type": changes.get("kind", kind),
            "challenge": changes.get("challenge", challenge),
            "origin": changes.get("origin", self.origin),
            "crossOrigin": False,
        }
        return json.dumps(said).encode()
