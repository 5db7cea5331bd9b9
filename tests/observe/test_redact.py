"""What looks like a credential is masked, whatever it hides in; the rest stays readable."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.identity.keys import issue
from trivium.observe.redact import ITEMS_MAX, TEXT_CHARS_MAX, redact_fields, redact_text
from trivium.secret import Secret

KEY = issue(lambda count: bytes(range(count)))

MASKED = {
    KEY: "sk-***",
    f"key_{KEY}": "key_sk-***",
    f"presented {KEY}, refused": "presented sk-***, refused",
    "sk-ant-api03-abcdefgh_ijk-lmn": "sk-***",
    "sk-proj-12345678": "sk-***",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv": "AIza***",
    "Authorization: Bearer abc.def.ghi": "Authorization: *** ***",
    "bearer abc": "bearer ***",
    "Basic dXNlcjpwYXNz": "Basic ***",
    "/v1beta/models?key=abc&alt=sse": "/v1beta/models?key=***&alt=sse",
    "?alt=sse&api_key=abc": "?alt=sse&api_key=***",
    "X-Amz-Signature=abc def": "X-Amz-Signature=*** def",
    "password = 'hunter2'": "password = '***'",
    '{"password": "hunter2", "n": 1}': '{"password": "***", "n": 1}',
    "{'api_key': 'abc'}": "{'api_key': '***'}",
    "x-api-key: abc": "x-api-key: ***",
    "cookie: session": "cookie: ***",
    "postgresql://user:hunter2@host/db": "postgresql://user:***@host/db",
    "redis://:hunter2@host": "redis://:***@host",
}

UNTOUCHED = [
    "",
    "task-force-of-twelve",
    "sk-1",
    "key: no enabled key matches 'laptop'",
    "the keyboard=qwerty monkey=1",
    "max_tokens=5, total_tokens: 7",
    "https://host:8080/path@x",
    "trivium user ada",
    "sketch-of-something-long",
    "ünïcode stays",
]


@pytest.mark.parametrize(("text", "expected"), MASKED.items())
def test_credentials_in_text_are_masked(text, expected):
    """By their prefix, their scheme, or the name before them."""
    assert expected == redact_text(text)


@pytest.mark.parametrize("text", UNTOUCHED)
def test_prose_is_left_alone(text):
    """A log that masks too much is read by nobody."""
    assert text == redact_text(text)


@pytest.mark.parametrize("name", ["key", "api_key", "api-keys", "x-api-key", "Authorization",
                                  "cookie", "access_token", "client_secret", "password"])  # fmt: skip
def test_a_credentials_field_is_masked_whole(name):
    """Whatever the value looks like, at any depth."""
    assert {name: "***"} == redact_fields({name: "plain"})
    assert {"a": [{name: "***"}]} == redact_fields({"a": [{name: b"plain"}]})


@pytest.mark.parametrize(
    "fields",
    [
        {"keys": 12},
        {"key_id": 3},
        {"max_tokens": 5},
        {"keyboard": "x"},
        {"cached": True, "x": None},
    ],
)
def test_counts_and_ids_stay(fields):
    """Numbers are no credentials."""
    assert fields == redact_fields(fields)


def test_a_secret_prints_stars():
    """The type that cannot be printed is not made printable here."""
    assert {"channel": "Secret(***)"} == redact_fields({"channel": Secret("hunter2")})


def test_exceptions_and_bytes_are_masked_too():
    """Whatever is not JSON is shown by its text."""
    shown = redact_fields({"error": ValueError(f"refused {KEY}"), "raw": KEY.encode()})
    assert {"error": "refused sk-***", "raw": "b'sk-***'"} == shown


def test_a_key_torn_by_the_cut_does_not_show():
    """Wherever in a long text it stands."""
    for before in range(TEXT_CHARS_MAX - 80, TEXT_CHARS_MAX + 5):
        assert KEY[11:20] not in redact_text(" " * before + KEY + " " * TEXT_CHARS_MAX)
        assert KEY[11:20] not in redact_text(" " * (before + TEXT_CHARS_MAX) + KEY)


def test_everything_has_a_limit():
    """Long texts, long lists, deep nesting and cycles."""
    assert TEXT_CHARS_MAX + 1 == len(redact_text("x" * 10**6))
    assert ITEMS_MAX == len(redact_fields({"a": list(range(10**4))})["a"])
    cycle = []
    cycle.append(cycle)
    assert {"a": [[[[["…"]]]]]} == redact_fields({"a": cycle})


class Broken:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "value",
    [Broken(), 2**200, -(2**200), float("nan"), "\ud800", {1: {2}}, object(), b"\xff", (1,)],
)
def test_every_value_becomes_json(value):
    """A log call never fails for what it is given."""
    msgspec.json.encode(redact_fields({"value": value}))


@given(st.text(max_size=200))
def test_masking_is_idempotent(text):
    """A text that went through twice is the same."""
    once = redact_text(text)
    assert once == redact_text(once)


@pytest.mark.timeout(5)
@pytest.mark.parametrize("unit", ["a_", "-", "key", "bearer ", "://", "sk-", "_key:", '"', " ="])
def test_no_text_takes_long(unit):
    """Hostile texts cost no more than their length."""
    for _ in range(10):
        redact_text(unit * 10_000)
