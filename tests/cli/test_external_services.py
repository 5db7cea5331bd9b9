"""Services outside are gone to as far as that changes nothing, and what is wrong names its setting."""

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

import stripe_double
from assets.stores import bucket
from trivium.cli import external_services
from trivium.cli.external_services import Finding
from trivium.settings.accounts import MailSettings
from trivium.settings.model import Settings, SharedSettings, StorageSettings
from trivium.settings.payments import PaymentsSettings
from trivium.settings.section import AssetsSettings


class Mailbox:
    """Takes everything."""

    def __init__(self):
        self.letters = []

    async def handle_DATA(self, server, session, envelope):
        self.letters.append(envelope)
        return "250 taken"


def known(server, session, envelope, mechanism, data):
    return AuthResult(success=data == LoginPassword(b"trivium", b"s3cret"), handled=False)


@pytest.fixture
def mailbox(unused_tcp_port):
    """A mail server that asks for a password on a plain line, as ours on loopback may."""
    box = Mailbox()
    server = Controller(
        box,
        hostname="127.0.0.1",
        port=unused_tcp_port,
        authenticator=known,
        auth_require_tls=False,
    )
    server.start()
    box.port = unused_tcp_port
    yield box
    server.stop(no_assert=True)


@pytest.fixture(scope="module")
def stripe():
    server = stripe_double.Stripe()
    yield server
    server.close()


async def found(tmp_path, **sections):
    """What the checks say: name to whether it is well, and the words."""
    storage = StorageSettings(journal=str(tmp_path / "journal"))
    findings = await external_services.look(Settings(storage=storage, **sections))
    return {each.check: (each.ok, "\n".join(each.details)) for each in findings}


@pytest.mark.asyncio
async def test_only_what_is_set_up_is_looked_at(tmp_path):
    """There is always a place for files; nothing is made of it."""
    assert {"assets": (True, f"{tmp_path}/assets will be made at the first file")} == (
        await found(tmp_path)
    )
    assert [] == list(tmp_path.iterdir())
    (tmp_path / "assets").mkdir()
    assert (True, f"{tmp_path}/assets is writable") == (await found(tmp_path))["assets"]


@pytest.mark.asyncio
async def test_a_server_for_shared_state_is_told_from_one_that_is_none(tmp_path, valkey, capsys):
    """Before two workers count for themselves, each up to the whole of every limit."""
    url = valkey.url
    assert (True, f"127.0.0.1:{valkey.port} answers") == (
        await found(tmp_path, shared=SharedSettings(url=url))
    )["shared"]
    valkey.ask("REPLICAOF", "127.0.0.1", "1")
    ok, said = (await found(tmp_path, shared=SharedSettings(url=url)))["shared"]
    assert not ok
    assert f"shared.url: 127.0.0.1:{valkey.port} cannot be used" in said
    assert "READONLY" in said
    valkey.kill()
    assert not (await found(tmp_path, shared=SharedSettings(url=url)))["shared"][0]
    assert "" == capsys.readouterr().out


@pytest.mark.asyncio
async def test_a_folder_that_is_none_is_named(tmp_path):
    """With what is in its place."""
    (tmp_path / "assets").write_text("")
    ok, said = (await found(tmp_path))["assets"]
    assert not ok
    assert said.startswith(f"assets.url: {tmp_path}/assets cannot be written")


@pytest.mark.asyncio
async def test_a_bucket_is_asked(tmp_path):
    """With the keys of the settings; a wrong one and one that is away are told apart from a good
    one, and name what to look at."""
    with bucket(tmp_path) as place:
        right = AssetsSettings(
            url=place.url, endpoint=place.endpoint, access_key="S3RVER", secret_key="S3RVER"
        )
        assert (True, "s3://files/below/here answers") == (await found(tmp_path, assets=right))[
            "assets"
        ]
        # this server knows whose key it is, but does not work signatures out
        stranger = msgspec.structs.replace(right, access_key="STRANGER", secret_key="wr0ng")
        ok, said = (await found(tmp_path, assets=stranger))["assets"]
        assert not ok
        assert "assets.access_key and assets.secret_key" in said
        assert "wr0ng" not in said
        elsewhere = msgspec.structs.replace(right, url="s3://missing/below")
        assert not (await found(tmp_path, assets=elsewhere))["assets"][0]


class Empty(BaseHTTPRequestHandler):
    """A store of S3's kind in which there is no bucket."""

    def do_GET(self):
        body = b"<Error><Code>NoSuchBucket</Code><Message>There is none.</Message></Error>"
        self.send_response(404)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *args):
        pass


@pytest.mark.asyncio
async def test_a_bucket_that_is_not_there_is_not_taken_for_an_empty_one(tmp_path):
    """Of an object both say 404 alike; the line names the bucket."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Empty) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        endpoint = f"http://127.0.0.1:{server.server_port}"
        missing = AssetsSettings(
            url="s3://files", endpoint=endpoint, access_key="a", secret_key="b"
        )
        ok, said = (await found(tmp_path, assets=missing))["assets"]
        server.shutdown()
    assert not ok
    assert "s3://files cannot be looked into" in said


@pytest.mark.asyncio
async def test_a_bucket_that_does_not_answer_is_not_waited_for(tmp_path, monkeypatch):
    """The library would repeat for minutes."""
    monkeypatch.setattr(external_services, "LIMIT_S", 0.3)
    away = AssetsSettings(
        url="s3://files", endpoint="http://127.0.0.1:9", access_key="a", secret_key="b"
    )
    ok, said = (await found(tmp_path, assets=away))["assets"]
    assert (False, "assets.url") == (ok, said.partition(":")[0])


@pytest.mark.asyncio
async def test_the_mail_server_takes_our_name_and_no_letter(tmp_path, mailbox):
    """Whatever is wrong, the settings to look at are named, never a password."""
    right = MailSettings(
        host="127.0.0.1", port=mailbox.port, security="none", user="trivium", password="s3cret"
    )
    assert (True, f"127.0.0.1:{mailbox.port} takes trivium, over none") == (
        await found(tmp_path, mail=right)
    )["mail"]
    for change, why in (
        ({"password": "wr0ng"}, "refuses our name and password (535)"),
        ({"security": "starttls"}, "cannot be used"),
        ({"port": 9}, "cannot be used"),
    ):
        ok, said = (await found(tmp_path, mail=msgspec.structs.replace(right, **change)))["mail"]
        assert not ok
        assert why in said
        assert "check mail.port, mail.security, mail.user and mail.password" in said
        assert "wr0ng" not in said
    assert [] == mailbox.letters
    await asyncio.sleep(0.05)


RIGHT = PaymentsSettings(
    provider="stripe",
    secret_key=stripe_double.SECRET_KEY,
    webhook_secret=stripe_double.WEBHOOK_SECRET,
)


@pytest.mark.asyncio
async def test_the_payment_provider_is_asked_with_our_key(tmp_path, stripe):
    """A key that it does not know, and one that may not do enough, are told apart."""
    right = msgspec.structs.replace(RIGHT, base_url=stripe.url)
    assert (True, "Stripe answers: a test key, no money moves") == (
        await found(tmp_path, payments=right)
    )["payments"]
    wrong = msgspec.structs.replace(right, secret_key="sk_live_other")
    assert (False, "Stripe does not know payments.secret_key") == (
        await found(tmp_path, payments=wrong)
    )["payments"]
    stripe.fail = [403]
    ok, said = (await found(tmp_path, payments=right))["payments"]
    assert (False, True) == (ok, "without access to Checkout Sessions" in said)
    assert {} == stripe.sessions


@pytest.mark.asyncio
async def test_settings_that_cannot_be_right_are_named_without_asking(tmp_path):
    """The publishable key in the place of the secret one is the usual slip."""
    given = msgspec.structs.replace(
        RIGHT, secret_key="pk_live_public", webhook_secret="we_123", base_url="http://127.0.0.1:9"
    )
    ok, said = (await found(tmp_path, payments=given))["payments"]
    assert not ok
    first, second = said.splitlines()
    assert first.startswith("payments.secret_key is none of Stripe's secret or restricted keys")
    assert first.endswith("pk_ is the publishable one")
    assert second.startswith("payments.webhook_secret is no signing secret of Stripe's")
    assert "pk_live_public" not in said


def test_a_finding_is_told_as_json():
    """By the names that the documentation has."""
    found = Finding("mail", ok=False, details=("mail.host: …",))
    told = msgspec.json.decode(msgspec.json.encode(found))
    assert {"check": "mail", "ok": False, "details": ["mail.host: …"]} == told
