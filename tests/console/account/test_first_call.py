"""Which model the example call beside a new key names, and whether it would be answered."""

import msgspec
import pytest

from trivium.console.account.first_call import first_call, may_use
from trivium.identity.model import Key, User
from trivium.routing.catalogue import build
from trivium.settings.model import Settings

CATALOGUE = build(
    msgspec.convert(
        {
            "channels": [
                {"name": "a", "provider": "openai", "api_key": "k"},
                {"name": "off", "provider": "openai", "api_key": "k", "disabled": True},
            ],
            "models": [
                {"name": name, "bindings": [{"channel": channel}], **price}
                for name, channel, price in (
                    ("gpt-off", "off", {"free": True}),
                    ("gpt-x", "a", {"price": {"input": "1", "output": "1"}}),
                    ("open-x", "a", {"free": True}),
                )
            ],
        },
        Settings,
    )
)
EMPTY, CHAT, FREE = CATALOGUE.models.values()


def key(*models):
    return Key(id=1, user_id=1, name="laptop", hint="abcd", models=models)


def user(*, unlimited=False):
    return User(id=1, name="ada", email="ada@example.com", unlimited=unlimited)


@pytest.mark.parametrize(
    ("models", "allowed", "balance", "unlimited", "expected"),
    [
        ((EMPTY, CHAT, FREE), (), 1, False, ("gpt-x", False)),
        ((EMPTY, CHAT, FREE), (), 0, True, ("gpt-x", False)),
        ((EMPTY, CHAT, FREE), (), 0, False, ("open-x", False)),
        ((EMPTY, CHAT), (), 0, False, ("gpt-x", True)),
        ((CHAT, FREE), ("open-*",), 1, False, ("open-x", False)),
        ((CHAT, FREE), ("gpt-x",), -5, False, ("gpt-x", True)),
        ((CHAT, FREE), ("other",), 1, False, ("", False)),
        ((EMPTY,), (), 1, False, ("", False)),
        ((), (), 0, False, ("", False)),
    ],
)
def test_the_call_names_a_model_that_would_answer(models, allowed, balance, unlimited, expected):
    """The first that the key may use and the account can pay; else the first, and what it takes."""
    call = first_call((key(*allowed),), user(unlimited=unlimited), balance, models)
    assert expected == (call.model, call.needs_credit)


@pytest.mark.parametrize(
    ("allowed", "name", "expected"),
    [((), "a", True), (("a",), "a", True), (("a",), "ab", False), (("a*",), "ab", True)],
)
def test_a_key_names_its_models_whole_or_by_their_beginning(allowed, name, expected):
    """As the gateway takes them."""
    assert expected is may_use(key(*allowed), name)
