"""Codes are those of RFC 6238, and are compared with all that could be right."""

import base64
import secrets
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.identity.accounts.factor.codes import (
    address,
    matching_step,
    recovery_code,
    recovery_digest,
)

RFC = base64.b32encode(b"12345678901234567890").decode()
"""The secret of RFC 6238, appendix B."""
CODE = recovery_code(lambda n: bytes(range(n)))


@pytest.mark.parametrize(
    ("now", "code"),
    [  # RFC 6238, appendix B, SHA1: the last six of eight digits
        (59, "287082"),
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_the_rfcs_own_examples(now, code):
    """And one step to either side, but not two."""
    step = now // 30
    assert step == matching_step(RFC, code, now)
    assert step == matching_step(RFC, f"{code[:3]} {code[3:]}", now)
    found = {
        late: matching_step(RFC, code, now + late) for late in (-60, -30, 30, 60) if now + late > 60
    }
    assert {late: step if abs(late) == 30 else None for late in found} == found


@pytest.mark.parametrize(
    "typed", ["", "28708", "2870822", "28708x", "٢٨٧٠٨٢", "-28708", "287082\n1"]
)
def test_what_is_no_code_is_wrong(typed):
    """Other digits, other lengths."""
    assert matching_step(RFC, typed, 59) is None


def test_an_app_understands_the_picture():
    """Name, account and secret as apps expect them."""
    parts = urlsplit(address(RFC, "李四/a b", "Trivium"))
    assert ("otpauth", "totp") == (parts.scheme, parts.netloc)
    assert {"secret": [RFC], "issuer": ["Trivium"]} == parse_qs(parts.query)


def test_a_recovery_code_can_be_copied():
    """Groups of four, every byte of chance in it, no look-alikes."""
    assert [4] * 4 == [len(group) for group in CODE.split("-")]
    made = {recovery_code(lambda n, i=i: bytes(i) + b"\1" + bytes(n - i - 1)) for i in range(16)}
    assert 16 == len(made)
    assert not set("ILOU") & set("".join(recovery_code(secrets.token_bytes) for _ in range(50)))


@pytest.mark.parametrize(
    "typed",
    [
        CODE,
        CODE.lower(),
        CODE.replace("-", ""),
        f" {CODE} ",
        CODE.replace("-", " "),
        CODE.replace("0", "o").replace("1", "l"),
    ],
)
def test_what_people_write_is_understood(typed):
    """Case, gaps and look-alikes do not count."""
    assert recovery_digest(CODE) == recovery_digest(typed) is not None


@given(st.text(max_size=30))
def test_other_texts_are_no_recovery_code(text):
    """Nothing chokes."""
    digest = recovery_digest(text)
    assert digest is None or 32 == len(digest)
