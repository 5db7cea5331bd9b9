"""Vault is asked as its own command line asks it, and says why it gives nothing."""

import socket
import threading

import pytest

import vault_double
from trivium.settings.secret_stores import vault
from trivium.settings.secret_stores.store import StoreError
from vault_double import VaultDouble

MOUNTS = {
    "secret": ("2", {"openai": {"api_key": "sk-two", "n": 7}, "gone": None, "large": {"x": "x" * 2_000_000}}),
    "old": ("1", {"team/openai": {"api_key": "sk-one"}}),
    "deep/kv": ("2", {"a/b": {"api_key": "sk-deep"}}),
    "db": ("", {}),
}  # fmt: skip


@pytest.fixture
def server():
    with VaultDouble(dict(MOUNTS)) as double:
        yield double


@pytest.mark.parametrize(
    ("path", "value"),
    [("secret/openai", "sk-two"), ("old/team/openai", "sk-one"), ("deep/kv/a/b", "sk-deep")],
)
def test_both_versions_are_read(server, path, value):
    """The path is the same as for `vault kv get`; the mount says which version it is."""
    assert value == vault.open_store(server.environ).read(path)["api_key"]


@pytest.mark.parametrize(
    ("path", "why", "whole"),
    [
        ("secret/missing", "is not in Vault at http://127.0.0.1", False),
        ("secret/gone", "is not in Vault", False),
        ("nowhere/x", "refuses: preflight capability check returned 403", False),
        ("db/creds", "lies in a mount of type database, and only kv is read", False),
        ("secret/large", "above 1048576 bytes", True),
    ],
)
def test_what_is_not_there_is_told(server, path, why, whole):
    """One secret that is missing is not the store that is away."""
    with pytest.raises(StoreError, match=why) as caught:
        vault.open_store(server.environ).read(path)
    assert whole == caught.value.whole


def test_an_approle_logs_in_once(server):
    """For all that one reading wants."""
    given = {"VAULT_ROLE_ID": vault_double.ROLE, "VAULT_SECRET_ID": vault_double.SECRET_ID}
    store = vault.open_store({"VAULT_ADDR": server.address, **given})
    assert "sk-two" == store.read("secret/openai")["api_key"]
    assert "sk-one" == store.read("old/team/openai")["api_key"]
    assert 1 == [path for _, path in server.requests].count("auth/approle/login")


def test_a_pod_logs_in_with_its_service_account(server, tmp_path):
    """By the role that was made for it, at a mount of any name."""
    file = tmp_path / "token"
    given = {
        "VAULT_ADDR": server.address,
        "VAULT_KUBERNETES_ROLE": "gateway",
        "VAULT_AUTH_MOUNT": "pods",
        "VAULT_KUBERNETES_TOKEN_FILE": str(file),
    }
    with pytest.raises(StoreError, match="token: No such file"):
        vault.open_store(given).read("secret/openai")
    file.write_text(f"{vault_double.POD_TOKEN}\n")
    assert "sk-two" == vault.open_store(given).read("secret/openai")["api_key"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"VAULT_TOKEN": "hvs.wrong"}, "refuses: permission denied"),
        ({}, "refuses: permission denied"),
        ({"VAULT_ROLE_ID": "x", "VAULT_SECRET_ID": "y"}, "refuses: invalid role or secret ID"),
        ({"VAULT_ADDR": "127.0.0.1:8200"}, "VAULT_ADDR must be the address of Vault"),
        ({"VAULT_ADDR": "http://127.0.0.1:1"}, "at http://127.0.0.1:1 cannot give: ConnectionError"),
    ],
)  # fmt: skip
def test_what_keeps_us_out_is_told(server, given, why):
    """In one line, without the token."""
    with pytest.raises(StoreError, match=why) as caught:
        vault.open_store({"VAULT_ADDR": server.address, **given}).read("secret/openai")
    assert "hvs." not in str(caught.value)


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_vault_that_is_sealed_or_broken_is_away(server, status):
    """It gives nothing else either, so it is not asked again."""
    server.fails = status
    with pytest.raises(StoreError, match="cannot give") as caught:
        vault.open_store(server.environ).read("secret/openai")
    assert caught.value.whole


@pytest.mark.parametrize(
    "document", [["hello"], "hello", 7, None, {}, {"data": None}, {"data": {"type": "kv"}}]
)
def test_something_else_is_no_vault(server, monkeypatch, document):
    """Another program may listen there."""
    monkeypatch.setattr(server, "answer", lambda *_: (200, document))
    with pytest.raises(StoreError, match="is no Vault"):
        vault.open_store(server.environ).read("secret/openai")
    with pytest.raises(StoreError, match="is no Vault"):
        vault.open_store({"VAULT_ADDR": server.address, "VAULT_ROLE_ID": "r"}).read("secret/openai")


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}",
        b"SSH-2.0-x\r\n",
        b"",
    ],
)
def test_an_answer_that_breaks_off_is_told(raw):
    """Whatever the library makes of it."""
    with socket.create_server(("127.0.0.1", 0)) as door:

        def answer():
            line, _ = door.accept()
            line.recv(65_536)
            line.sendall(raw)
            line.close()

        threading.Thread(target=answer, daemon=True).start()
        address = f"http://127.0.0.1:{door.getsockname()[1]}"
        with pytest.raises(StoreError, match=r"cannot give: \w+Error"):
            vault.open_store({"VAULT_ADDR": address, "VAULT_TOKEN": "x"}).read("secret/openai")


def test_a_missing_library_names_the_extra(monkeypatch):
    """Nothing else says how it gets here."""
    monkeypatch.setitem(__import__("sys").modules, "hvac", None)
    with pytest.raises(StoreError, match=r"package hvac.*pip install 'trivium\[vault\]'"):
        vault.open_store({"VAULT_ADDR": "http://127.0.0.1:1"})
