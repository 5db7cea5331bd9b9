"""A settings file to begin with: whole, without secrets, and never over one that is there."""

import errno
import http.server
import io
import re
import shlex
import socketserver
import threading
import time
import tomllib
from pathlib import Path

import msgspec
import pytest

from trivium.cli import init
from trivium.ledger.suggestions.model import bundled
from trivium.ledger.suggestions.starting import starting_models
from trivium.providers.base import Provider
from trivium.providers.registry import PROVIDERS

KEYED = {name: each for name, each in PROVIDERS.items() if each.key_variables and each.base_url}


@pytest.fixture(autouse=True)
def _nothing_set(folder, monkeypatch):
    """Neither keys of whoever runs the tests, nor engines of this machine."""
    for provider in PROVIDERS.values():
        for variable in provider.key_variables:
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(init, "found_engines", lambda: iter(()))


def secret(name):
    return f"sk-very-secret-{name}"


def test_a_vendor_whose_key_is_there_is_written(trivium, folder, monkeypatch):
    """With its models, their prices, and the variable's name for the key."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", secret("one"))
    done = trivium("init")
    assert 0 == done.code
    text = (folder / "trivium.toml").read_text()
    assert secret("one") not in text + done.out + done.err
    data = tomllib.loads(text)
    assert [
        {"name": "anthropic", "provider": "anthropic", "api_key": "env:ANTHROPIC_API_KEY"}
    ] == data["channels"]
    assert starting_models()["anthropic"] == [each["name"] for each in data["models"]]
    for model in data["models"]:
        assert bundled().find("anthropic", model["name"])[1].lists[0].price == model["price"]
    assert "wrote trivium.toml: 1 channel, 3 models" in done.err
    assert 0 == trivium("check").code


def test_every_vendor_at_once_makes_a_sound_file(trivium, folder, monkeypatch):
    """Names that two vendors share are told apart."""
    for provider in KEYED.values():
        monkeypatch.setenv(provider.key_variables[-1], secret(provider.name))
    assert 0 == trivium("init").code
    data = tomllib.loads((folder / "trivium.toml").read_text())
    assert list(KEYED) == [each["name"] for each in data["channels"]]
    names = [each["name"] for each in data["models"]]
    assert len(set(names)) == len(names)
    assert "together/zai-org/GLM-5.3" in names
    checked = trivium("check")
    assert 0 == checked.code, checked.err
    shown = trivium("prices", "show", "--differing", "--json").data
    assert [] == shown["models"]


def test_the_first_variable_goes_before_the_others(trivium, folder, monkeypatch):
    """Google's clients know two."""
    monkeypatch.setenv("GOOGLE_API_KEY", "x")
    trivium("init")
    assert "env:GOOGLE_API_KEY" in (folder / "trivium.toml").read_text()
    monkeypatch.setenv("GEMINI_API_KEY", "y")
    trivium("init", "--force")
    assert "env:GEMINI_API_KEY" in (folder / "trivium.toml").read_text()


def test_a_variable_without_a_key_is_left_out(trivium, folder, monkeypatch):
    """Two lines are no key, and the file still passes."""
    monkeypatch.setenv("OPENAI_API_KEY", "one\ntwo")
    monkeypatch.setenv("XAI_API_KEY", "")
    done = trivium("init")
    assert "warning: OPENAI_API_KEY is left out: it must be visible ASCII text" in done.err
    assert "channels" not in tomllib.loads((folder / "trivium.toml").read_text())
    assert 0 == trivium("check").code


def test_without_a_key_the_file_shows_how(trivium, folder):
    """Sound as it is, and sound when the example is taken out of its comments."""
    done = trivium("init")
    assert 0 == done.code
    assert "There is no model yet" in done.out
    path = folder / "trivium.toml"
    assert 0 == trivium("check").code
    lines = path.read_text().splitlines()
    begins = lines.index("# [[channels]]")
    shown = [line.removeprefix("# ") for line in lines[begins:] if not line.startswith("# An ")]
    path.write_text("\n".join([*lines[:begins], *(line for line in shown if line != "#")]))
    done = trivium("check")
    assert "names the environment variable OPENAI_API_KEY, which is not set" in done.out
    assert 2 == len(tomllib.loads(path.read_text())["models"])


def test_a_file_that_is_there_stays(trivium, folder):
    """Until --force says otherwise."""
    path = folder / "trivium.toml"
    path.write_text("# mine\n")
    done = trivium("init")
    assert 1 == done.code
    assert "trivium: trivium.toml is there already: --force replaces it" in done.err
    assert "# mine\n" == path.read_text()
    assert 0 == trivium("init", "--force").code
    assert "# mine\n" != path.read_text()
    assert ["trivium.toml"] == [each.name for each in folder.iterdir()]


def test_a_file_that_comes_meanwhile_stays(folder):
    """Who wrote it was first."""
    path = folder / "trivium.toml"
    path.write_text("# theirs\n")
    with pytest.raises(init.CommandFailed, match="File exists"):
        init._write(path, "x", force=False)
    assert "# theirs\n" == path.read_text()
    assert [path] == list(folder.iterdir())


def test_it_is_written_where_commands_will_look(trivium, folder, monkeypatch):
    """--config, else the variable; a folder that is not there is told."""
    assert 0 == trivium("init", "--config", "own file.toml").code
    assert (folder / "own file.toml").exists()
    monkeypatch.setenv("TRIVIUM_CONFIG", "named.toml")
    assert 0 == trivium("init").code
    assert (folder / "named.toml").exists()
    done = trivium("init", "--config", "nowhere/x.toml")
    assert 1 == done.code
    assert "nowhere/x.toml cannot be written: No such file or directory" in done.err
    (folder / "folder").mkdir()
    done = trivium("init", "--force", "--config", "folder")
    assert (1, "trivium: folder cannot be written: Is a directory\n") == (done.code, done.err)
    assert ["folder", "named.toml", "own file.toml"] == sorted(
        each.name for each in folder.iterdir()
    )


def test_what_it_says_to_do_next_works(trivium, monkeypatch):
    """Each command but the one that serves and the one that asks it."""
    monkeypatch.setenv("OPENAI_API_KEY", secret("o"))
    told = trivium("init", "--config", "a b.toml").out
    commands = [line.strip() for line in told.splitlines() if line.startswith("  ")]
    ran = 0
    for line in commands:
        found = re.match(r"(?:export KEY=\$\()?\S+ ((?:check|user|key) [^)]*)", line)
        if found:
            done = trivium(*shlex.split(found[1]))
            assert 0 == done.code, done.err
            ran += 1
    assert 3 == ran
    assert commands[-1].endswith('"content":"Say hello."}]}\'')
    assert '"model":"gpt-6.1-sol"' in told


def test_what_begins_has_a_price():
    """No suggestion, no model: the two files are kept together."""
    prices = bundled()
    for provider, models in starting_models().items():
        assert PROVIDERS[provider].key_variables
        for model in models:
            assert prices.find(provider, model), f"{provider}/{model} has no price"
            assert "input" in prices.find(provider, model)[1].lists[0].price


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_variables_are_named_as_shells_take_them(name):
    """And none belongs to two vendors."""
    for variable in PROVIDERS[name].key_variables:
        assert re.fullmatch(r"[A-Z][A-Z0-9_]*(KEY|TOKEN)(_[A-Z]+)?", variable)
        # the endpoints of one cloud share its key
        others = [n for n, each in PROVIDERS.items() if variable in each.key_variables]
        assert {name.partition("-")[0]} == {other.partition("-")[0] for other in others}


@pytest.fixture
def engine():
    """Answer each request with what the test says; its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        answer = (200, b"{}")

        def do_GET(self):
            status, body = self.answer if self.path == "/v1/models" else (404, b"")
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server, Handler
    server.shutdown()
    server.server_close()


def test_an_engine_that_answers_is_written(trivium, folder, monkeypatch, engine):
    """With the names it gives, as far as they are names, and free."""
    server, handler = engine
    models = ["llama3.2:latest", "two words", "b", 3, *"cdefgh"]
    handler.answer = (200, msgspec.json.encode({"data": [{"id": name} for name in models]}))
    ollama = msgspec.structs.replace(
        PROVIDERS["ollama"], base_url=f"http://127.0.0.1:{server.server_port}/v1"
    )
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(init, "PROVIDERS", {"openai": PROVIDERS["openai"], "ollama": ollama})
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = trivium("init")
    assert 0 == done.code
    data = tomllib.loads((folder / "trivium.toml").read_text())
    assert ollama.base_url == data["channels"][0]["base_url"]
    assert ["llama3.2:latest", "b", "c", "d", "e"] == [each["name"] for each in data["models"]]
    assert all(each["free"] for each in data["models"])
    assert 0 == trivium("check").code
    assert 0 == trivium("init", "--force", "--no-engines").code
    assert "channels" not in tomllib.loads((folder / "trivium.toml").read_text())


@pytest.mark.parametrize(
    "answer",
    [
        (401, b'{"data":[{"id":"m"}]}'),
        (200, b"<html>"),
        (200, b'{"data":7}'),
        (200, b'[{"id":"m"}]'),
        (200, b'{"data":[]}'),
        (200, b'"' + b"x" * 2_000_000),
        (200, b"[" * 900_000),
        (200, b'{"data":[{"id":{}},7]}'),
        (200, b"\xff\xfe"),
    ],
)
def test_what_is_no_engine_is_none(engine, answer):
    """A web page, another gateway, a list without an end."""
    server, handler = engine
    handler.answer = answer
    assert [] == init._listed(f"127.0.0.1:{server.server_port}", "/v1/models")


def test_one_that_drips_is_not_waited_for(monkeypatch):
    """A byte now and then is within every limit between two of them."""
    monkeypatch.setattr(init, "ENGINE_WAIT_S", 0.3)
    end = threading.Event()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
            while not end.wait(0.05):
                self.request.sendall(b" ")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        began = time.monotonic()
        try:
            assert [] == init._listed(f"127.0.0.1:{server.server_address[1]}", "/v1/models")
            assert time.monotonic() - began < 5
        finally:
            end.set()
            server.shutdown()


def test_names_that_an_engine_says_twice_are_one_each():
    """And one that looks as another's does with its channel stays apart."""
    models = ("m", "vllm/m", "m", "n")
    engines = [
        init.LocalEngine(provider=PROVIDERS[name], models=models) for name in ("llamacpp", "vllm")
    ]
    data = tomllib.loads(init.written({}, engines))
    names = [each["name"] for each in data["models"]]
    assert ["m", "vllm/m", "n", "vllm/vllm/m", "vllm/vllm/vllm/m", "vllm/n"] == names
    bound = [
        (b["channel"], b.get("model", m["name"])) for m in data["models"] for b in m["bindings"]
    ]
    assert [("llamacpp", "m"), ("llamacpp", "vllm/m"), ("llamacpp", "n")] == bound[:3]
    assert [("vllm", "m"), ("vllm", "vllm/m"), ("vllm", "n")] == bound[3:]


def test_a_file_that_is_replaced_stays_as_private_as_it_was(trivium, folder):
    """And where it is: a link to it is no reason to leave it behind."""
    real, link = folder / "real.toml", folder / "trivium.toml"
    real.write_text("# mine\n")
    real.chmod(0o600)
    link.symlink_to("real.toml")
    assert 0 == trivium("init", "--force").code
    assert link.is_symlink()
    assert "# mine" not in real.read_text()
    assert 0o600 == real.stat().st_mode & 0o777
    assert ["real.toml", "trivium.toml"] == sorted(each.name for each in folder.iterdir())


def test_a_link_to_nowhere_is_not_followed_unasked(trivium, folder):
    """Somebody meant something by it."""
    (folder / "trivium.toml").symlink_to("elsewhere.toml")
    done = trivium("init")
    assert (1, True) == (done.code, "is there already" in done.err or "File exists" in done.err)
    assert not (folder / "elsewhere.toml").exists()


def test_a_disk_that_is_full_leaves_no_half_file(folder, monkeypatch):
    """The next one would be told that there is a file already."""

    class Full(io.StringIO):
        def write(self, text):
            raise OSError(errno.ENOSPC, "No space left on device")

    real = Path.open

    def full(path, mode="r", **more):
        real(path, mode, **more).close()
        return Full()

    monkeypatch.setattr(Path, "open", full)
    for force in (False, True):
        with pytest.raises(init.CommandFailed, match="No space left"):
            init._write(folder / "trivium.toml", "x", force=force)
        assert [] == list(folder.iterdir())


def test_a_name_that_no_file_can_have_is_told(trivium):
    """In one line."""
    long = "x" * 300
    for words in (("init", "--config", long), ("init", "--force", "--config", long)):
        done = trivium(*words)
        assert (1, 1) == (done.code, done.err.count("\n"))
        assert "cannot be written: File name too long" in done.err


def test_an_engine_at_the_usual_port_keeps_it():
    """The gateway then listens beside it."""
    llama = init.LocalEngine(provider=PROVIDERS["llamacpp"], models=("m",))
    other = init.LocalEngine(provider=PROVIDERS["vllm"], models=("m",))
    assert isinstance(llama.provider, Provider)
    data = tomllib.loads(init.written({}, [llama, other]))
    assert init.LISTEN_BESIDE == data["server"]["listen"]
    assert ["m", "vllm/m"] == [each["name"] for each in data["models"]]
    assert init.LISTEN == tomllib.loads(init.written({}, [other]))["server"]["listen"]
