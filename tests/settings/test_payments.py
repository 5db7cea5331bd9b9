"""Payments are configured whole, or refused with what is missing."""

import pytest

from trivium.settings.payments import PaymentsSettings, dollars, relations

WHOLE = {"provider": "stripe", "secret_key": "sk_test_x", "webhook_secret": "whsec_x"}
URL = "https://gateway.example"


def told(public_url=URL, **values):
    """What is wrong: the setting and the text."""
    return [(p.path[1:], p.what) for p in relations(PaymentsSettings(**values), public_url)]


def test_nothing_is_needed_without_a_provider():
    """The default: the page names the operator."""
    assert [] == told(None)


def test_a_whole_configuration_is_right():
    """Keys, an address, amounts within the bounds."""
    assert [] == told(**WHOLE)


@pytest.mark.parametrize("absent", ["secret_key", "webhook_secret"])
def test_each_secret_is_needed(absent):
    """Without the second one, events could not be told from forgeries."""
    ((path, what),) = told(**{**WHOLE, absent: ""})
    assert (("provider",), f"needs {absent} beside it") == (path, what)


def test_payers_need_an_address_to_come_back_to():
    """Never one made from the Host header."""
    ((_, what),) = told(None, **WHOLE)
    assert "server.public_url" in what


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ({"minimum": "20", "maximum": "10", "amounts": ()}, ("minimum",)),
        ({"amounts": ("10", "1")}, ("amounts", 1)),
        ({"amounts": ("1000",)}, ("amounts", 0)),
    ],
)
def test_amounts_fit_the_bounds(values, where):
    """An amount that would be refused is not offered."""
    assert [where] == [path for path, _ in told(**values)]


@pytest.mark.parametrize("value", ["1", "25", "12.50", "0.50", "999999"])
def test_whole_cents_are_an_amount(value):
    """With no decimals or two."""
    assert dollars(value) is None


@pytest.mark.parametrize("value", ["", "0", "0.00", "-5", "1.5", "1.234", "1e3", "1,50", "5 "])
def test_anything_else_is_not(value):
    """What a float, a comma or a third decimal would have to be guessed from."""
    assert "US dollars" in dollars(value)


def test_an_amount_that_is_none_is_told_once():
    """By its own check; the relation says nothing more."""
    assert [] == told(amounts=("x",))
