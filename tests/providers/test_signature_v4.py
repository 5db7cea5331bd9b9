"""Amazon's signature: held equal to botocore's signer, whatever the request."""

import random
import string
from urllib.parse import quote

import msgspec
import pytest
from tests.sigv4 import theirs

from trivium.providers import signature_v4
from trivium.providers.credential import Unsigned
from trivium.providers.signature_v4 import SignatureV4, SignerV4, canonical_path, day_key

SEED = 20261128
REQUESTS = 1_000
ODD = "".join(map(chr, range(0x20, 0x7F))) + "äß€日𝄞\u00a0"
KEYS = {"key_id": "AKIDEXAMPLE", "secret": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}


def unsigned(**more):
    values = {
        "method": "POST", "scheme": "https", "host": "bedrock-runtime.us-east-1.amazonaws.com",
        "path": "/model/m/converse", "query": "", "at": 1_790_000_000.25,
    } | more  # fmt: skip
    headers = {"host": values["host"], "content-type": "application/json"}
    return Unsigned(**values | {"headers": headers | more.get("headers", {})})


def text(draw, most=12):
    return "".join(draw.choice(ODD) for _ in range(draw.randrange(most)))


def path(draw):
    """Segments with every kind of character, dots and empty ones among them, once encoded."""
    segments = [
        draw.choice((quote(text(draw), safe=draw.choice(("", ":", "~!$&'()*+,;=:@"))), "", ".", "..",
                     "arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.a.b-v1%3A0"))
        for _ in range(draw.randrange(1, 6))
    ]  # fmt: skip
    return "/" + "/".join(segments) + draw.choice(("", "/"))


def query(draw):
    """Pairs in any order, names that repeat, pairs without an equals sign."""
    pairs = []
    for _ in range(draw.randrange(5)):
        name, value = (quote(text(draw), safe="-_.~") for _ in range(2))
        pairs.append(draw.choice((f"{name}={value}", name, f"a={value}", "a=", f"{name}=b=c")))
    return "&".join(pair for pair in pairs if pair)


def headers(draw):
    """Some that are signed, some that are not, with blanks where they may be."""
    found = {}
    for _ in range(draw.randrange(5)):
        name = draw.choice(("x-amzn-bedrock-", "x-amz-", "x-")) + draw.choice(
            string.ascii_lowercase
        )
        words = "".join(draw.choice(string.printable[:-5]) for _ in range(draw.randrange(20)))
        found[name] = draw.choice(("", "  ", "\t")) + words + draw.choice(("", "  "))
    found["x-amzn-trace-id"] = "Root=1"
    found["user-agent"] = "x"
    return found


def body(draw):
    size = draw.choice((0, 0, 1, 1000, 100_000))
    return draw.randbytes(size)


def whole(signed):
    """What a signer has added to a request."""
    headers, ending = signed
    name = list(headers)[-1]
    return headers | {name: headers[name] + ending}


def test_every_request_is_signed_as_botocore_signs_it(monkeypatch):
    """A thousand of them: paths, queries, headers and bodies of every kind, in pieces."""
    draw = random.Random(SEED)
    seen = set()
    for _ in range(REQUESTS):
        parts = dict(KEYS, secret=f"s{draw.randrange(9)}")
        if draw.random() < 0.5:
            parts["session_token"] = "".join(draw.choices(string.ascii_letters + "/+=", k=300))
        at = 1_790_000_000 + draw.randrange(10**8)
        request = unsigned(
            method=draw.choice(("POST", "GET", "put")), path=path(draw), query=query(draw), at=at,
            headers=headers(draw), host=draw.choice(("a.example", "a.example:8443")),
        )  # fmt: skip
        content = body(draw)
        region, service = draw.choice(("us-east-1", "cn-north-1")), "bedrock"
        ours = SignatureV4(parts, request, region, service)
        cut = draw.randrange(len(content) + 1)
        ours.update(content[:cut])
        ours.update(content[cut:])
        expected = theirs(monkeypatch, request, content, parts, region, service)
        assert expected == ours.headers(), request
        seen.add(expected["authorization"])
        # what is prepared once signs others alike: the next body, that second and a later one
        signer = SignerV4(parts, request, region, service)
        for later in (0, 0.5, draw.randrange(10**6)):
            content = body(draw)
            again = msgspec.structs.replace(request, at=at + later)
            expected = theirs(monkeypatch, again, content, parts, region, service)
            assert expected == whole(signer.sign(content, at + later)), request
    assert REQUESTS == len(seen)


@pytest.mark.parametrize(
    ("parts", "region", "why"),
    [
        ({}, "us-east-1", "key_id is no access key's id"),
        ({"key_id": "A B", "secret": "s"}, "us-east-1", "key_id is no access key's id"),
        ({"key_id": "A"}, "us-east-1", "secret is no secret access key"),
        ({"key_id": "A", "secret": "s\n"}, "us-east-1", "secret is no secret access key"),
        ({"key_id": "A", "secret": "s", "session_token": ""}, "us-east-1", "session_token is none"),
        ({"key_id": "A", "secret": "s"}, "", "region is none, as us-east-1"),
        ({"key_id": "A", "secret": "s"}, "us/east", "region is none, as us-east-1"),
    ],
)
def test_parts_that_are_none_are_named(parts, region, why):
    """And never shown."""
    with pytest.raises(ValueError, match=why):
        SignatureV4(parts, unsigned(), region, "bedrock")


def test_a_time_that_no_calendar_has_is_told():
    """As of a clock that has been set to nonsense."""
    with pytest.raises(ValueError, match="no calendar"):
        SignatureV4(KEYS, unsigned(at=1e18), "us-east-1", "bedrock").headers()


def test_days_keys_are_kept_and_bounded(monkeypatch):
    """As many as there are accounts; not one for each day that passes."""
    monkeypatch.setattr(signature_v4, "_keys", {})
    monkeypatch.setattr(signature_v4, "KEYS_MAX", 3)
    first = day_key("s", "20261128", "r", "bedrock")
    assert first is day_key("s", "20261128", "r", "bedrock")
    for day in range(7):
        day_key("s", str(day), "r", "bedrock")
    assert len(signature_v4._keys) <= 3
    assert first == day_key("s", "20261128", "r", "bedrock")


def test_what_is_kept_of_requests_is_bounded(monkeypatch):
    """Paths and sets of headers are callers' and operators' to make."""
    for name in ("_paths", "_names", "_sound"):
        monkeypatch.setattr(signature_v4, name, type(getattr(signature_v4, name))())
    monkeypatch.setattr(signature_v4, "KEYS_MAX", 3)
    for number in range(9):
        request = unsigned(path=f"/{number}", headers={f"x-amz-{number}": "a"})
        SignatureV4(dict(KEYS, secret=f"s{number}"), request, "us-east-1", "bedrock").headers()
    kept = (signature_v4._paths, signature_v4._names, signature_v4._sound)
    assert all(1 <= len(each) <= 3 for each in kept)


@pytest.mark.parametrize(
    ("written", "signed"),
    [
        ("", "/"),
        ("/", "/"),
        ("/a%20b", "/a%2520b"),
        ("/a/./b//c/../d/", "/a/b/d/"),
        ("/../", "/"),
        ("/model/us.a-v1%3A0/converse", "/model/us.a-v1%253A0/converse"),
    ],
)
def test_a_path_is_signed_resolved_and_encoded_once_more(written, signed):
    """All services but S3."""
    assert signed == canonical_path(written)
