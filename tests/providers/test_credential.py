"""Kinds of credential: what a channel must give, and what the rows call them."""

import pytest

from trivium.providers.credential import BEARER, STATIC, Renewed, Signing, Token, parts_of


def _never(*_):
    raise AssertionError


@pytest.mark.parametrize(
    ("kind", "needed", "optional"),
    [
        (None, (), ()),
        (BEARER, ("api_key",), ()),
        (Signing(begin=_never, parts=("api_key", "region"), optional=("session",)),
         ("api_key", "region"), ("session",)),
        (Renewed(ask=_never, read=lambda _: Token(value="t", life_s=1), parts=()), (), ()),
    ],
)  # fmt: skip
def test_a_kind_says_what_it_needs(kind, needed, optional):
    """The settings are checked against it."""
    assert (needed, optional) == parts_of(kind)


def test_every_header_is_in_lower_case():
    """They are looked up among the caller's, which are."""
    headers = [kind.header for kind in STATIC.values() if kind is not None]
    assert headers == [header.lower() for header in headers]
