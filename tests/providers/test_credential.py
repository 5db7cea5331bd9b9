"""Kinds of credential: what a channel must give, and what the rows call them."""

import pytest

from trivium.providers.credential import (
    BEARER,
    STATIC,
    UNAUTHORIZED,
    CredentialChoice,
    Finder,
    Remedy,
    Renewed,
    Signing,
    Token,
    chosen,
    finder_of,
    parts_of,
)


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
        (CredentialChoice(key=BEARER, otherwise=Signing(begin=_never, parts=("api_key",), optional=("a",))),
         (), ("api_key", "a")),
    ],
)  # fmt: skip
def test_a_kind_says_what_it_needs(kind, needed, optional):
    """The settings are checked against it."""
    assert (needed, optional) == parts_of(kind)


def test_every_header_is_in_lower_case():
    """They are looked up among the caller's, which are."""
    headers = [kind.header for kind in STATIC.values() if kind is not None]
    assert headers == [header.lower() for header in headers]


def test_a_choice_goes_by_the_key():
    """What looks an identity up belongs to the channels without one."""
    finder = Finder(find=_never)
    signing = Signing(begin=_never, finder=finder)
    choice = CredentialChoice(key=BEARER, otherwise=signing)
    assert (BEARER, signing) == tuple(chosen(choice, has_key=has) for has in (True, False))
    assert [None, BEARER] == [chosen(one, has_key=True) for one in (None, BEARER)]
    assert [finder, None, None] == [finder_of(one) for one in (choice, BEARER, None)]
    assert finder.needed({})
    assert finder.check(frozenset({"a"})) is None


@pytest.mark.parametrize(
    "given", [{}, {"ask": _never}, {"ask": _never, "read": _never, "finder": Finder(find=_never)}]
)
def test_a_token_is_had_in_one_way(given):
    """Asked for and read, or found."""
    with pytest.raises(ValueError, match="takes ask and read, or a finder"):
        Renewed(**given)


def test_every_401_renews():
    """Where a credential does not say otherwise."""
    assert ({401}, Remedy.RENEW) == (UNAUTHORIZED.statuses, UNAUTHORIZED.remedy(401, {}, b""))
