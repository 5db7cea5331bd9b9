"""What a token says is compared with what the settings want, to the letter."""

import pytest

from oauth.workload.signing import ENTRY
from trivium.oauth.workload import claims
from trivium.oauth.workload.claims import ClaimsRefused, JoseHead, check_times, fitting, mismatch


def entry(**wanted):
    return ENTRY.__class__(
        name="w", issuer="i", audience="a", scopes=("read",), claims=dict(wanted)
    )


@pytest.mark.parametrize(
    ("found", "wanted", "is_like"),
    [
        ("acme/infra", "acme/infra", True),
        ("acme/infra2", "acme/infra", False),
        ("ACME/infra", "acme/infra", False),
        ("refs/heads/main", "refs/heads/*", True),
        ("refs/heads/", "refs/heads/*", False),
        ("refs/tags/v1", "refs/heads/*", False),
        (True, "true", True),
        (False, "true", False),
        (12, "12", True),
        (12.0, "12", False),
        (["a", "b"], "b", True),
        (["a", ["b"]], "b", False),
        ({"b": 1}, "b", False),
        (None, "null", False),
        ("*", "x/*", False),
    ],
)
def test_a_claim_is_like_what_is_wanted(found, wanted, is_like):
    """Or not at all."""
    assert ("c" if not is_like else None) == mismatch({"c": found}, entry(c=wanted))


def test_a_missing_claim_is_named():
    """And what is wanted is for the operator alone."""
    with pytest.raises(ClaimsRefused) as caught:
        fitting({"aud": "trivium-admin", "ref": "refs/heads/x"}, [ENTRY])
    assert "workload deploy: `repository` is missing" in caught.value.public
    assert "acme" not in caught.value.public
    assert "ref = `refs/heads/x`" in str(caught.value)


@pytest.mark.parametrize("aud", [None, "other", "TRIVIUM-ADMIN", ["other"], [], {"a": 1}, 7])
def test_another_audience_is_named(aud):
    """Ours is told to the operator alone."""
    with pytest.raises(ClaimsRefused) as caught:
        fitting({"aud": aud}, [ENTRY])
    assert "(`aud`)" in caught.value.public
    assert "trivium-admin" not in caught.value.public
    assert str(caught.value).endswith(": trivium-admin")


def test_the_first_entry_that_fits_counts():
    """In the order of the file; the audience may be one of several."""
    first, second = entry(c="1"), entry(c="2")
    assert second is fitting({"aud": ["x", "a"], "c": "2"}, [first, second])
    assert first is fitting({"aud": "a", "c": "1"}, [first, entry(c="1")])


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ({"exp": 1000, "iat": 900}, None),
        ({"exp": 941, "iat": 900}, None),
        ({"exp": 940, "iat": 900}, "expired 60 s ago"),
        ({"exp": 2000, "iat": 1060}, None),
        ({"exp": 2000, "iat": 1061}, "good only in 61 s"),
        ({"exp": 2000, "iat": 900, "nbf": 1061}, "good only in 61 s"),
        ({"iat": 900}, "no `exp`"),
        ({"exp": 2000}, "no `iat`"),
        ({"exp": "2000", "iat": 900}, "no `exp`"),
        ({"exp": True, "iat": 900}, "no `exp`"),
        ({"exp": 2000, "iat": 900, "nbf": "x"}, "no `nbf`"),
        ({"exp": 1e300, "iat": -1e300}, None),
        ({"exp": 10**400, "iat": 0}, None),
    ],
)
def test_clocks_may_be_a_minute_apart(times, said):
    """And no more."""
    if said is None:
        assert isinstance(check_times(times, 1000.0), int)
        return
    with pytest.raises(ClaimsRefused, match=said):
        check_times(times, 1000.0)


@pytest.mark.parametrize(
    "text", ["", "a", "a.b", "a.b.", "a.b.c.d", "a.b.c ", "..", "é.b.c", "a" * 16_384 + ".b.c"]
)
def test_what_is_no_signed_token(text):
    """By its form and its length."""
    assert not claims.looks_signed(text)
    assert claims.looks_signed("eyJh.eyJp.c2ln")


@pytest.mark.parametrize(
    "text", ["AAAA.b.c", "W10.b.c", "e30.b.c", "A.b.c", "W1tb" * 2000 + ".b.c"]
)
def test_a_header_that_cannot_be_read(text):
    """No traceback, however deep."""
    with pytest.raises(ClaimsRefused, match="cannot be read"):
        claims.head(text, ["RS256"])
    with pytest.raises(ClaimsRefused, match="cannot be read"):
        claims.payload("e30." + "W1tb" * 2000 + ".c")


def test_a_name_that_is_no_text():
    """Is as good as none."""
    for found in ({}, {"iss": 7}, {"iss": ""}, {"iss": ["x"]}):
        with pytest.raises(ClaimsRefused, match="no `iss`"):
            claims.text_claim(found, "iss")
    assert "" == JoseHead(alg="RS256").kid
