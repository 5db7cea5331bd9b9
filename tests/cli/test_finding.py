"""What a check found."""

import msgspec

from trivium.cli.finding import Finding


def test_a_finding_is_told_as_json():
    """By the names that the documentation has."""
    found = Finding("mail", ok=False, details=("mail.host: …",))
    told = msgspec.json.decode(msgspec.json.encode(found))
    assert {"check": "mail", "ok": False, "details": ["mail.host: …"]} == told
