"""Workloads in the settings: whose tokens count is said narrowly or not at all."""

import pytest

from trivium.settings.errors import SettingsError
from trivium.settings.load import load
from trivium.settings.workloads import SCOPE_WORDS, claim_value

ENTRY = """
[[workloads]]
name = "deploy"
issuer = "https://token.actions.githubusercontent.com"
audience = "trivium-admin"
scopes = ["read", "catalogue"]
claims = { sub = "repo:acme/infra:*" }
"""


def loaded(tmp_path, text):
    path = tmp_path / "trivium.toml"
    path.write_text(text)
    return load(path, {})


def test_an_entry_is_read(tmp_path):
    """As it stands."""
    (entry,) = loaded(tmp_path, ENTRY).workloads
    assert (("read", "catalogue"), {"sub": "repo:acme/infra:*"}) == (entry.scopes, entry.claims)
    assert ("read", "catalogue", "money", "users") == SCOPE_WORDS


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (ENTRY, ENTRY * 2, "name.*is taken"),
        ("https://token.actions.githubusercontent.com", "http://ci.example", "https://"),
        ('["read", "catalogue"]', "[]", "must name a scope"),
        ('"catalogue"', '"all"', "must be one of"),
        ('{ sub = "repo:acme/infra:*" }', "{}", "must name a claim"),
        ('sub = "repo:acme/infra:*"', 'ref = "refs/heads/main"', "signs for everybody"),
        ("repo:acme/infra:*", "repo:*", "that names you: the issuer signs for everybody"),
        (
            'sub = "repo:acme/infra:*"',
            'job_workflow_ref = "acme/a/b.yml@main"',
            "signs for everybody",
        ),
        ('sub = "repo:acme/infra:*"', 'repository = ":*"', "signs for everybody"),
        ("repo:acme/infra:*", "repo:acme/infra*", "behind a / or a :"),
        ("repo:acme/infra:*", "repo:*/infra:*", "not at its end"),
        ("repo:acme/infra:*", "*", "behind a / or a :"),
        ('audience = "trivium-admin"', 'audience = " "', "must not be empty"),
        ('audience = "trivium-admin"\n', "", "audience.*missing"),
        ('claims = { sub = "repo:acme/infra:*" }\n', "", "must name a claim"),
        ('scopes = ["read", "catalogue"]\n', "", "must name a scope"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, old, new, said):
    """Before anything is served."""
    with pytest.raises(SettingsError, match=said):
        loaded(tmp_path, ENTRY.replace(old, new))


@pytest.mark.parametrize(
    "claim",
    ['sub = "repo:acme/*"', 'repository = "acme/*"', 'repository_id = "12", ref = "refs/tags/*"'],
)
def test_a_beginning_may_name_somebody(tmp_path, claim):
    """An owner does."""
    text = ENTRY.replace('sub = "repo:acme/infra:*"', claim)
    assert 1 == len(loaded(tmp_path, text).workloads)


def test_an_issuer_of_this_machine_may_do_without_tls(tmp_path):
    """As one under test is."""
    text = ENTRY.replace("https://token.actions.githubusercontent.com", "http://127.0.0.1:9000")
    assert 1 == len(loaded(tmp_path, text).workloads)


@pytest.mark.parametrize("value", ["acme/infra", "repo:acme/*", "true", "12"])
def test_a_value_is_a_text_or_its_beginning(value):
    """Up to a mark that no name has."""
    assert claim_value(value) is None


@pytest.mark.parametrize("value", ["", "a*b", "a-*", "**", "\u00e4", "a\n", "x" * 1001])
def test_a_value_that_would_let_more_in_is_none(value):
    """Said in words."""
    assert claim_value(value)
