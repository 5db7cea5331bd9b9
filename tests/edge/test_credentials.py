"""Which of the presented keys counts."""

from urllib.parse import quote

import pytest

from edge.wires import asked
from trivium.edge.credentials import from_query, presented, refuse_signature
from trivium.faults import Fault, Kind

A, B, C, D = (f"sk-gateway-{letter}".encode() for letter in "ABCD")


def key_of(headers=(), query=b"", *, query_key=True):
    table = dict(headers)
    return presented(asked(target=b"/?" + query, headers=table), query_key=query_key)


@pytest.mark.parametrize(
    "value", [b"Bearer %b", b"bearer %b", b"BEARER %b", b"Bearer  %b ", b"Bearer \t%b"]
)
def test_the_bearer_scheme_is_read_in_any_case(value):
    """RFC 9110: the scheme is case-insensitive."""
    assert A == key_of({b"authorization": value % A})


@pytest.mark.parametrize(
    "value", [A, b"Basic " + A, b"Bearer", b"Bearer ", b"", b"BearerX " + A, b"Token " + A]
)
def test_other_schemes_present_no_key(value):
    """A bare key or another scheme is not guessed at."""
    assert None is key_of({b"authorization": value})


@pytest.mark.parametrize("name", [b"x-api-key", b"x-goog-api-key", b"api-key"])
def test_a_key_header_is_the_key(name):
    """Anthropic's, Google's and Azure's."""
    assert A == key_of({name: A})


@pytest.mark.parametrize(
    "query", [b"key=%b", b"a=1&key=%b", b"key=%b&key=other", b"alt=sse&key=%b"]
)
def test_the_first_key_of_a_query_counts(query):
    """Google's `?key=`."""
    assert A == key_of(query=query % A)


def test_a_key_in_a_query_is_decoded():
    """As any query parameter."""
    assert b"a b+c/\xe9" == key_of(query=b"key=a+b%2Bc%2F%E9")
    assert A == key_of(query=b"key=" + quote(A, safe="").replace("s", "%73").encode())


@pytest.mark.parametrize("query", [b"", b"key=", b"key", b"Key=%b", b"xkey=%b", b"k%%65y=%b"])
def test_nothing_else_in_a_query_is_a_key(query):
    """Names are compared as they are written."""
    assert None is key_of(query=query % A if b"%b" in query else query)


def test_the_query_form_can_be_switched_off():
    """Other forms stay."""
    assert None is key_of(query=b"key=" + A, query_key=False)
    assert B == key_of({b"x-api-key": B}, b"key=" + A, query_key=False)


ORDER = {
    "all four": ({b"x-api-key": A, b"authorization": b"Bearer " + B, b"x-goog-api-key": C}, D, A),
    "no x-api-key": ({b"authorization": b"Bearer " + B, b"x-goog-api-key": C}, D, B),
    "google's two": ({b"x-goog-api-key": C}, D, C),
    "a placeholder first": ({b"x-api-key": b"dummy", b"authorization": b"Bearer " + B}, b"", B),
    "a placeholder last": ({b"x-api-key": A, b"authorization": b"Bearer dummy"}, b"", A),
    "a placeholder beside a query": ({b"x-goog-api-key": b"dummy"}, D, D),
    "two placeholders": ({b"x-api-key": b"one", b"x-goog-api-key": b"two"}, b"", b"one"),
    "empty headers": ({b"x-api-key": b"", b"authorization": b"", b"x-goog-api-key": C}, b"", C),
}


@pytest.mark.parametrize("name", ORDER)
def test_of_several_keys_one_counts_by_a_written_order(name):
    """x-api-key, bearer, x-goog-api-key, query; placeholders of SDKs yield to a gateway key."""
    headers, query, expected = ORDER[name]
    assert expected == key_of(headers, b"key=" + query)


def test_of_a_repeated_header_the_last_value_counts():
    """The same rule for each header: a table holds one value of each name."""
    lines = [(b"x-api-key", A), (b"x-api-key", B)]
    exchange = asked(headers=dict(lines), repeated=lines)
    assert B == presented(exchange, query_key=True)


@pytest.mark.parametrize(
    ("headers", "query", "expected"),
    [
        ({}, b"key=" + A, True),
        ({b"x-api-key": b"placeholder"}, b"key=" + A, True),
        ({b"x-api-key": B}, b"key=" + A, False),
        ({b"authorization": b"Bearer " + A}, b"key=" + A, False),
        ({b"x-goog-api-key": A}, b"", False),
        ({b"x-api-key": b"placeholder"}, b"key=other", False),
        ({}, b"", False),
    ],
)
def test_a_key_comes_from_the_address_when_no_header_has_it(headers, query, expected):
    """Whatever else is beside it."""
    assert expected == from_query(asked(target=b"/?" + query, headers=headers))


@pytest.mark.parametrize(
    "signature",
    [
        b"AWS4-HMAC-SHA256 Credential=A/20261128/us-east-1/bedrock/aws4_request",
        b"aws4-ecdsa-p256-sha256 x",
    ],
)
def test_a_signature_of_amazons_is_no_key(signature):
    """Whoever sends one is told what would be right; anything else is another matter."""
    with pytest.raises(Fault, match="AWS_BEARER_TOKEN_BEDROCK") as caught:
        refuse_signature(asked(headers={b"authorization": signature}))
    assert Kind.KEY_MISSING is caught.value.kind
    for headers in ({}, {b"authorization": b"Basic eA=="}, {b"authorization": b"Bearer "}):
        refuse_signature(asked(headers=headers))
