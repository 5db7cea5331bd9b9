"""Secrets come from variables and files, and never into a message."""

import os

import pytest

from trivium.secret import Secret
from trivium.settings.errors import SettingsError
from trivium.settings.secret_stores.lookup import StoredSecrets
from trivium.settings.secrets import BYTES_MAX, Secrets


@pytest.fixture
def secrets(tmp_path):
    (tmp_path / "key").write_text("from-a-file\r\n")
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "two").write_text("one\ntwo\n")
    (tmp_path / "large").write_bytes(b"x" * (BYTES_MAX + 1))
    return Secrets({"NAME": " from-a-variable\n", "EMPTY": "", "ODD": "schlüssel"}, tmp_path)


@pytest.mark.parametrize(
    ("text", "value"),
    [("env:NAME", "from-a-variable"), ("file:key", "from-a-file"), ("literal", "literal")],
)
def test_a_secret_is_what_its_reference_names(secrets, text, value):
    """Line ends at the end of a file do not belong to the secret."""
    assert Secret(value) == secrets.resolve(text, "channels[0].api_key")


def test_an_absolute_path_is_taken_as_it_is(secrets, tmp_path):
    """Only relative paths start at the settings file."""
    assert Secret("from-a-file") == secrets.resolve(f"file:{tmp_path}/key", "x")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("env:MISSING", "names the environment variable MISSING, which is not set"),
        ("env:EMPTY", "has no value: the environment variable EMPTY is empty"),
        ("file:missing", "names the file missing, which cannot be read: No such file"),
        ("file:a\0b", "names the file a\\x00b, which cannot be read: ValueError"),
        ("file:empty", "has no value: the file empty is empty"),
        ("file:two", "must be visible ASCII text on one line, but the file two is not"),
        ("file:large", f"names the file large, which is above {BYTES_MAX} bytes"),
        ("env:ODD", "must be visible ASCII text on one line, but the environment variable ODD"),
        ("", "has no value: it is empty"),
    ],
)
def test_a_secret_that_cannot_be_had_is_an_error_that_names_it(secrets, text, what):
    """Setting and variable or file are named."""
    with pytest.raises(SettingsError) as caught:
        secrets.resolve(text, "channels[0].api_key")

    assert f"channels[0].api_key {what}" in str(caught.value)


def test_a_document_may_have_several_lines(secrets):
    """A certificate, or a key as Google's console writes it; never another control character."""
    assert Secret("one\ntwo") == secrets.resolve("file:two", "x", lines=True)
    assert Secret("schlüssel") == secrets.resolve("env:ODD", "x", lines=True)
    with pytest.raises(SettingsError, match="x must be text without control characters, but it is"):
        secrets.resolve("one\0two", "x", lines=True)


def test_the_value_is_not_in_the_message(secrets):
    """Not even when the value is what is wrong."""
    with pytest.raises(SettingsError) as caught:
        secrets.resolve("env:ODD", "x")

    assert "schl" not in str(caught.value)
    assert caught.value.__suppress_context__


class Store:
    """Has one document."""

    def read(self, name):
        return {"k": "from-a-store\n", "two": "a\nb", "empty": " ", "large": "x" * 70_000}


@pytest.fixture
def stored(tmp_path):
    stores = StoredSecrets({}, opening=lambda *_: Store())
    return Secrets({}, tmp_path, stores)


def test_a_secret_in_a_store_is_found(stored):
    """What is round it does not belong to it."""
    assert Secret("from-a-store") == stored.resolve("vault:a/b#k", "x")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("vault:a/b#two", "must be visible ASCII text on one line, but the secret vault:a/b#two"),
        ("vault:a/b#empty", "has no value: the secret vault:a/b#empty is empty"),
        ("vault:a/b#large", f"names the secret vault:a/b#large, which is above {BYTES_MAX} bytes"),
        ("vault:a/b#none", "names the secret vault:a/b#none, which has no field none"),
        ("vault:a/b", "is no reference to a secret of this kind: write vault:PATH#FIELD"),
    ],
)
def test_what_a_store_has_is_looked_at_as_everything_is(stored, text, what):
    """One line, not empty, not too long."""
    with pytest.raises(SettingsError) as caught:
        stored.resolve(text, 'channels["a"].api_key')

    assert f'channels["a"].api_key {what}' in str(caught.value)


def test_every_file_asked_for_is_remembered(secrets, tmp_path):
    """A reload has to notice when one of them changes or appears."""
    secrets.look_up("file:key")
    with pytest.raises(ValueError, match="missing"):
        secrets.look_up("file:missing")

    assert {tmp_path / "key", tmp_path / "missing"} == set(secrets.files)
    assert (tmp_path / "key").stat().st_ino == secrets.files[tmp_path / "key"].st_ino
    assert secrets.files[tmp_path / "missing"] is None


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "/dev/null"])
def test_what_is_no_file_is_not_waited_for(secrets, tmp_path, name):
    """Nobody may ever write into a pipe, and some devices never end."""
    if name == "pipe":
        os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match="no file but a device, a pipe or a socket"):
        secrets.look_up(f"file:{name}")
