"""Every setting has a rule, and every rule's example is right."""

import tomllib

import pytest
from msgspec import inspect

from trivium.settings.model import Settings
from trivium.settings.rules import RULES, rule


def _settings(kind=None, prefix=""):
    kind = kind or inspect.type_info(Settings)
    for field in kind.fields:
        name = f"{prefix}{field.name}"
        yield name
        inner = getattr(field.type, "item_type", field.type)
        if isinstance(inner, inspect.StructType):
            yield from _settings(inner, f"{name}.")


def test_every_setting_has_a_rule_and_no_rule_is_left_over():
    """A setting without an example could not be explained."""
    assert set(_settings()) == {name for name in RULES if not name.endswith("*")}


@pytest.mark.parametrize("name", RULES)
def test_the_example_passes_the_check_it_illustrates(name):
    """What a message offers as right is right."""
    found = RULES[name]
    ((key, value),) = tomllib.loads(found.example).items()
    leaf = name.split(".")[-1]
    values = list(value.values()) if isinstance(value, dict) else value
    if leaf != "*" and not found.example.startswith("["):
        assert key in name.split(".")
    if found.check:
        for one in values if isinstance(values, list) else [values]:
            assert found.check(one) is None
    if found.names:
        assert [None] * len(value) == [found.names(one) for one in value]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (("server", "listen"), "server.listen"),
        (("server", "cors_origins", 3), "server.cors_origins.*"),
        (("channels", 0), "channels"),
        (("channels", 0, "headers", "x-a"), "channels.headers.*"),
        (("models", 1, "bindings", 2, "weight"), "models.bindings.weight"),
    ],
)
def test_a_path_leads_to_its_rule(path, name):
    """Positions in lists do not matter."""
    assert RULES[name] is rule(path)


@pytest.mark.parametrize("path", [("server", "listn"), ("models", 0, "pricee"), ("nothing",)])
def test_a_path_that_is_no_setting_has_no_rule(path):
    """Nothing is guessed."""
    assert rule(path) is None
