"""Vault is asked as its own command line asks it, and says why it gives nothing."""

import socket
import threading

import pytest

import vault_double
from trivium.settings.secret_stores import vault
from trivium.settings.secret_stores.store import StoreError
from vault_double import VaultDouble, served

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


HIDDEN = "hvs.hidden-0123456789"
DEEP = b"[" * 200_000


def http(status, body, *headers):
    """An answer as bytes."""
    lines = [
        f"HTTP/1.1 {status} x",
        "content-type: application/json",
        f"content-length: {len(body)}",
    ]
    return "\r\n".join([*lines, "connection: close", *headers, "", ""]).encode() + body


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (http(200, DEEP), "is no Vault"),
        (http(403, DEEP), "refuses: Forbidden"),
        (http(403, b'{"errors":"no"}'), "refuses: no"),
        (http(403, b'{"errors":[7,null]}'), "is no Vault"),
        (http(403, b'{"errors":{"a":1}}'), "refuses: Forbidden"),
        (http(403, b'{"errors":["a\\u001b[31m\\nb"]}'), "refuses: a [31m b"),
        (http(403, b'{"errors":["' + b"x" * 9_000 + b'"]}'), "refuses: " + "x" * 200),
        (http(403, f'{{"errors":["bad token {HIDDEN}"]}}'.encode()), "refuses: bad token ***"),
        (http(200, b'{"data":{"type":"kv","path":7}}'), "is no Vault"),
        (http(200, b'{"data":{"type":["x"],"path":"a/"}}'), "is no Vault"),
        (http(200, b'{"data":{"type":"x\\ny","path":"a/"}}'), "lies in a mount of type x y, and only kv is read"),
        (http(200, b'{"data":{"type":"kv","path":"a/","options":{"version":"3"}}}'), "version of kv that is not known"),
        (http(200, b"1" * 5_000), "is no Vault"),
        (http(200, b"\xff\xfe"), "is no Vault"),
    ],
    ids=lambda each: None if isinstance(each, str) else each[-20:].decode("latin-1"),
)  # fmt: skip
def test_odd_words_become_one_line(raw, why):
    """Whoever answers; without what we sent."""
    with served(raw) as address, pytest.raises(StoreError) as caught:
        vault.open_store({"VAULT_ADDR": address, "VAULT_TOKEN": HIDDEN}).read("a/b")
    assert str(caught.value).endswith(why)


@pytest.mark.parametrize("token", ["null", "7", '["x"]'])
def test_a_login_that_gives_no_token_is_none(token):
    """Nothing is asked for with what is no token."""
    raw = http(200, f'{{"auth":{{"client_token":{token}}}}}'.encode())
    with served(raw) as address, pytest.raises(StoreError, match="is no Vault"):
        vault.open_store({"VAULT_ADDR": address, "VAULT_ROLE_ID": "r"}).read("a/b")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "given", [{"VAULT_TOKEN": HIDDEN}, {"VAULT_ROLE_ID": "r", "VAULT_SECRET_ID": HIDDEN}]
)
def test_nobody_else_gets_the_token(server, status, given):
    """A redirect is not followed, wherever it leads; its address is named without its path."""
    to = server.address
    raw = http(status, b"", f"location: {to}/v1/x?{HIDDEN}")
    with served(raw) as address, pytest.raises(StoreError) as caught:
        vault.open_store({"VAULT_ADDR": address, **given}).read("a/b")
    assert f"sends on to {to}, which is not followed: set VAULT_ADDR" in str(caught.value)
    assert HIDDEN not in str(caught.value)
    assert caught.value.whole
    assert [] == server.requests


def test_a_password_in_the_address_is_not_told():
    """Some put one there for a proxy before Vault."""
    given = {"VAULT_ADDR": f"http://me:{HIDDEN}@127.0.0.1:1", "VAULT_TOKEN": "x"}
    with pytest.raises(StoreError, match=r"Vault at http://127\.0\.0\.1:1 cannot") as caught:
        vault.open_store(given).read("a/b")
    assert HIDDEN not in str(caught.value)


@pytest.mark.parametrize("address", ["https://", "http://[::1", "http://h:port", "ftp://h", ""])
def test_what_is_no_address_is_told(address):
    """Before anything is sent."""
    with pytest.raises(StoreError, match="VAULT_ADDR must be the address of Vault"):
        vault.open_store({"VAULT_ADDR": address})


def test_a_name_is_asked_for_as_it_is_written(server):
    """A percent sign is one, on the way to the mount and to the secret alike."""
    server.mounts["secret"] = ("2", {"a%41": {"k": "v"}})
    with pytest.raises(
        StoreError
    ):  # the double does not decode paths; the one that is asked is whole
        vault.open_store(server.environ).read("secret/a%41")
    asked = [path for _, path in server.requests]
    assert ["sys/internal/ui/mounts/secret/a%2541", "secret/data/a%2541"] == asked


def test_a_missing_library_names_the_extra(monkeypatch):
    """Nothing else says how it gets here."""
    monkeypatch.setitem(__import__("sys").modules, "hvac", None)
    with pytest.raises(StoreError, match=r"package hvac.*pip install 'trivium\[vault\]'"):
        vault.open_store({"VAULT_ADDR": "http://127.0.0.1:1"})
