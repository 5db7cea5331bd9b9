"""Scopes."""

import pytest

from trivium.oauth import scope


@pytest.mark.parametrize(
    ("text", "scopes"),
    [
        ("profile", {"profile"}),
        ("balance profile", {"profile", "balance"}),
        ("profile balance profile", {"profile", "balance"}),
    ],
)
def test_order_and_repetition_do_not_matter(text, scopes):
    """A scope parameter is a set."""
    assert scopes == scope.parse(text)


@pytest.mark.parametrize(
    "text",
    ["", "openid", "Profile", "profile,balance", "profile  balance", " profile", "profile\t"],
)
def test_what_is_no_scope_is_refused(text):
    """Other names, other cases, other separators."""
    with pytest.raises(ValueError, match="the scopes are profile, balance"):
        scope.parse(text)


def test_scopes_are_always_written_in_the_same_order():
    """Whatever order they came in."""
    assert "profile balance" == scope.written({"balance", "profile"})


def test_spending_is_a_scope_only_where_it_is_switched_on():
    """Else it is as unknown as any other word."""
    assert {"profile", "spend"} == scope.parse("spend profile", scope.EVERY)
    with pytest.raises(ValueError, match="the scopes are profile, balance,"):
        scope.parse("spend")
    assert "profile balance spend" == scope.written({"spend", "balance", "profile"})
