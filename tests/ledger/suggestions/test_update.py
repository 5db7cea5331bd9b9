"""Newer suggestions are kept whole, and older or broken ones are not."""

import base64
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from trivium.ledger.errors import LedgerError
from trivium.ledger.suggestions import update as fetching
from trivium.ledger.suggestions.compare import compare
from trivium.ledger.suggestions.model import bundled
from trivium.ledger.suggestions.update import NAME, current, fetch, keep, place, toml
from trivium.routing.catalogue import build
from trivium.secret import Secret
from trivium.settings.load import load
from trivium.settings.prices import day


@pytest.fixture
def path(tmp_path):
    return tmp_path / NAME


def of(plain, date):
    """The catalogue of another day."""
    return msgspec.json.encode({**plain, "date": date})


@pytest.mark.parametrize("journal", ["journal/", "journal"])
def test_it_lies_beside_the_journal(tmp_path, monkeypatch, journal):
    """Where the gateway may write, and where no worker looks for journals."""
    monkeypatch.chdir(tmp_path)
    assert tmp_path / NAME == place(journal)


def test_without_a_kept_one_the_shipped_one_holds(path):
    """Nothing has to be fetched."""
    assert bundled() == current(path)


def test_a_newer_one_is_kept(path, plain):
    """And only it is left in the folder."""
    kept = keep(path, of(plain, "2099-01-01"))
    assert ("2099-01-01", kept) == (kept.date, current(path))
    assert [NAME] == [each.name for each in path.parent.iterdir()]


def test_an_older_one_is_not(path, plain):
    """Neither than the shipped one, nor than the kept one, which stays."""
    with pytest.raises(LedgerError, match="older"):
        keep(path, of(plain, "2001-01-01"))
    keep(path, of(plain, "2099-01-02"))
    with pytest.raises(LedgerError, match="of 2099-01-02"):
        keep(path, of(plain, "2099-01-01"))
    assert "2099-01-02" == current(path).date


def test_a_shipped_one_that_is_newer_holds(path, plain):
    """After an update of the gateway itself."""
    path.write_bytes(of(plain, "2001-01-01"))
    assert bundled() == current(path)


def test_what_is_wrong_is_not_kept(path):
    """The kept one stays as it was."""
    with pytest.raises(LedgerError, match="is no price catalogue"):
        keep(path, b"{}")
    assert not path.exists()


def test_a_spoilt_file_is_named(path):
    """With the way out."""
    path.write_bytes(b"{}")
    with pytest.raises(LedgerError, match=f"{NAME} is no price catalogue.*remove it"):
        current(path)


def test_a_file_that_cannot_be_read_or_written_is_named(tmp_path, plain):
    """By the system's own words."""
    with pytest.raises(LedgerError, match="cannot be read"):
        current(tmp_path)
    with pytest.raises(LedgerError, match="cannot be kept"):
        keep(tmp_path / "nowhere" / NAME, of(plain, "2099-01-01"))


RAW = (serialization.Encoding.Raw, serialization.PublicFormat.Raw)
SIGNER = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
KEY = base64.b64encode(SIGNER.public_key().public_bytes(*RAW)).decode()


def signature(data):
    return base64.b64encode(SIGNER.sign(data)) + b"\n"


@pytest.fixture
def vendor():
    """A server on loopback: answers by path."""
    answers = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            code, body, headers = answers.get(self.path, (404, b"", {}))
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()

    def say(path, body, code=200, **headers):
        answers[path] = (code, body, headers)
        return f"http://127.0.0.1:{server.server_port}{path}"

    yield say
    server.shutdown()
    thread.join()
    server.server_close()


def test_signed_bytes_come_as_they_are(vendor):
    """Exactly what was signed."""
    url = vendor("/c.json", b"data")
    vendor("/c.json.sig", signature(b"data"))
    assert b"data" == fetch(url, KEY)


@pytest.mark.parametrize(
    "signed", [signature(b"other"), b"", b"not base64", base64.b64encode(b"\x00" * 64)]
)
def test_what_is_not_signed_is_refused(vendor, signed):
    """Also with a signature of something else."""
    url = vendor("/c.json", b"data")
    vendor("/c.json.sig", signed)
    with pytest.raises(LedgerError, match="not signed"):
        fetch(url, KEY)


def test_another_key_does_not_do(vendor):
    """It is the one in the settings."""
    url = vendor("/c.json", b"data")
    vendor("/c.json.sig", signature(b"data"))
    other = Ed25519PrivateKey.from_private_bytes(b"\x02" * 32).public_key().public_bytes(*RAW)
    with pytest.raises(LedgerError, match="not signed"):
        fetch(url, base64.b64encode(other).decode())


def test_a_missing_file_is_told(vendor):
    """The catalogue's or the signature's."""
    with pytest.raises(LedgerError, match=r"c\.json answered 404"):
        fetch(vendor("/other", b"").replace("other", "c.json"), KEY)
    with pytest.raises(LedgerError, match=r"c\.json\.sig answered 404"):
        fetch(vendor("/c.json", b"data"), KEY)


def test_nothing_is_followed(vendor):
    """Where the address leads is where it was set to."""
    target = vendor("/real", b"data")
    vendor("/real.sig", signature(b"data"))
    with pytest.raises(LedgerError, match="answered 302"):
        fetch(vendor("/c.json", b"", 302, location=target), KEY)


def test_a_flood_is_cut(vendor, monkeypatch):
    """Nobody fills the memory."""
    monkeypatch.setattr(fetching, "BYTES_MAX", 10)
    with pytest.raises(LedgerError, match="above 10 bytes"):
        fetch(vendor("/c.json", b"x" * 11), KEY)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://prices.example/c.json", "not https"),
        ("http://127.0.0.1:9/c.json", "cannot be fetched"),
    ],
)
def test_an_address_that_cannot_be_is_told(url, said):
    """In the clear only on this machine."""
    with pytest.raises(LedgerError, match=said):
        fetch(url, KEY)


def test_a_proxy_is_asked(vendor):
    """The one that the settings' environment names."""
    proxy = vendor("/unused", b"").removesuffix("/unused")
    vendor("http://localhost:1/c.json", b"data")
    vendor("http://localhost:1/c.json.sig", signature(b"data"))
    assert b"data" == fetch("http://localhost:1/c.json", KEY, proxy)


TODAY = day("2026-11-21")


def test_a_snippet_says_where_it_is_from(catalogue):
    """And what it leaves out, what long contexts cost, and what will change."""
    row = catalogue.providers["openai"]["gpt-x"]
    assert toml("big", catalogue, "openai", "gpt-x", row, TODAY) == (
        "# big: openai/gpt-x, by a list of 2026-11-10\n"
        "# not said by these prices: web searches\n"
        'price = { input = "1.25", cache_read = "0.125", output = "10" }\n'
        'tiers = [{ above = 200000, price = { input = "2.5" } }]\n'
        'price_changes = [{ since = "2027-01-01", price = { input = "2", output = "20" } }]\n'
    )


def test_a_list_that_has_begun_is_the_price(catalogue):
    """Nothing of the old one is left."""
    row = catalogue.providers["openai"]["gpt-x"]
    told = toml("big", catalogue, "openai", "gpt-x", row, day("2027-06-01")).splitlines()
    assert ['price = { input = "2", output = "20" }'] == told[2:]


def test_every_suggestion_can_be_adopted(tmp_path):
    """The whole catalogue as one settings file loads, and then nothing differs any more."""
    shipped = bundled()
    text = []
    wanted = {}
    for provider in ("anthropic", "deepseek", "gemini", "groq", "mistral", "openai", "xai"):
        text.append(f'[[channels]]\nname = "{provider}"\nprovider = "{provider}"\napi_key = "x"')
        for entry, row in shipped.providers[provider].items():
            name = f"{provider}/{entry}"
            wanted[name] = row
            text.append(f'[[models]]\nname = "{name}"')
            text.append(toml(name, shipped, provider, entry, row, TODAY).rstrip())
            text.append(f'bindings = [{{ channel = "{provider}", model = "{entry}" }}]')
    path = tmp_path / "trivium.toml"
    path.write_text("\n".join(text))
    models = build(load(path, {}), resolve=lambda *_: Secret("")).models
    assert set(wanted) == set(models)
    for when in (TODAY, day("2030-01-01")):
        states = {each.state for m in models.values() for each in compare(shipped, m, when)}
        assert {"same"} == states
