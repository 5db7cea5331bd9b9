"""Every setting has a rule, and every rule's example is right."""

import tomllib

import pytest
from msgspec import inspect

from trivium.settings.errors import SettingsError
from trivium.settings.load import load
from trivium.settings.model import Settings
from trivium.settings.rules import RULES, foreign, rule, unregistered


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


REFERENCES = [
    "os.environ/OPENAI_API_KEY", "openbao:secret/openai#key", "op://work/openai/key",
    "${OPENAI_API_KEY}", "$OPENAI_API_KEY", "%OPENAI_API_KEY%", "{{ secrets.OPENAI }}", "$(cat key)",
    "arn:aws:secretsmanager:eu-central-1:1:secret:openai", "aws:prod/openai", "sm://project/openai",
    "ENV:OPENAI_API_KEY", "env :OPENAI_API_KEY", "env/OPENAI_API_KEY", "env.OPENAI_API_KEY",
    "process.env.OPENAI_API_KEY", 'os.environ["OPENAI_API_KEY"]', "os.getenv('OPENAI_API_KEY')",
    "FILE:/run/secrets/openai", "sops:keys.yaml#openai", "acme:team/openai", "acme:OPENAI_API_KEY",
    "<your key>", "!secret openai", "secret:openai",
]  # fmt: skip
KEYS = [
    "sk-proj-0123456789abcdef", "env:OPENAI_API_KEY", "file:keys/openai", "AIzaSy0123-abc_def",
    "9f8e7d6c-1111-2222-3333-444455556666:0123456789abcdef", "abcdef01-2222-3333-4444-555566667777:ab12",
    "user:password", "gsk_abc", "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "vault:secret/openai#key", "aws-sm:prod/openai", "gcp-sm:projects/p/secrets/s/versions/latest#key",
    "arn:aws:iam::123456789012:role/a/gateway", "arn:aws-us-gov:sts::123456789012:assumed-role/a/s",
    "xai-abc", "Bearer abc", "environment-key-1", "vaultkey", "a$b", "p%ss%word", "k" * 300,
]  # fmt: skip


@pytest.mark.parametrize("value", REFERENCES)
def test_a_reference_of_another_program_is_refused(value):
    """With what there is instead, and without the value."""
    what = unregistered(value)
    assert "env:NAME" in what
    assert "file:PATH" in what
    assert "vault:PATH#FIELD, aws-sm:NAME#FIELD and gcp-sm:NAME#FIELD" in what
    assert value not in what


@pytest.mark.parametrize("value", ["vault:OPENAI", "vault:secret/openai", "gcp-sm:openai"])
def test_a_reference_to_a_store_is_whole(value):
    """Before the store is asked; the form is named, and the value is not."""
    what = unregistered(value)
    assert f"write {value.partition(':')[0]}:" in what
    assert value not in what


@pytest.mark.parametrize("value", KEYS)
def test_a_key_is_a_key(value):
    """Those of known vendors, and references that can be looked up."""
    assert unregistered(value) is None


@pytest.mark.parametrize(
    "value", ["https://app.example", "team:research/a", "Bearer x", "env:NAME"]
)
def test_a_header_may_hold_a_colon(value):
    """An address, a label."""
    assert foreign(value) is None


def test_a_header_that_is_a_variable_of_another_program_is_refused():
    """It would be sent as it stands."""
    assert "env:NAME" in foreign("os.environ/TOKEN")


@pytest.mark.parametrize(
    ("line", "setting"),
    [
        ('api_key = "os.environ/OPENAI"', 'channels["a"].api_key'),
        ('api_keys = ["env:HOME", "openbao:a/b"]', 'channels["a"].api_keys[1]'),
        ('headers = { x-token = "${TOKEN}" }', 'channels["a"].headers.x-token'),
    ],
)
def test_check_names_the_setting(line, setting, tmp_path):
    """Before anything is sent anywhere."""
    text = f'[[channels]]\nname = "a"\nprovider = "openai"\n{line}\n'
    path = tmp_path / "trivium.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load(path, {"HOME": "x"})
    (problem,) = (one for one in caught.value.lines if "env:NAME" in one)
    assert setting in problem
