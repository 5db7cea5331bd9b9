"""The demo: what is checked before anything slow, what is kept, what is shown."""

import asyncio
import re
import socket
from types import SimpleNamespace

import pytest

from ports import free_port
from trivium.cli import demo
from trivium.clock import SystemClock
from trivium.demo import install
from trivium.demo.engine import EngineError
from trivium.demo.first_question import GreetingFailed
from trivium.demo.home import Home
from trivium.identity.accounts.model import Visitor
from trivium.identity.accounts.service import Accounts as Service
from trivium.identity.model import UserRole
from trivium.secret import Keyring
from trivium.settings.accounts import AccountsSettings
from trivium.settings.load import load
from trivium.storage.database import Database
from trivium.storage.vault import Vault


@pytest.fixture
def stage(monkeypatch):
    """A demo without its engine and without serving; what it did is kept."""
    seen = SimpleNamespace(events=[], served=None, answer="A gate.", missing=False)

    class Engine:
        address, key = "http://127.0.0.1:41234", "engine-key"

        @classmethod
        def start(cls, log, environ, **which):
            seen.events.append("speech started" if which else "engine started")
            seen.environ = environ
            return cls()

        def __enter__(self):
            return self

        def __exit__(self, *error):
            seen.events.append("engine stopped")

    class Thread:
        def __init__(self, target, args, daemon):
            self.run = lambda: target(*args)

        def start(self):
            self.run()

    def serve(settings, path, ready):
        seen.events.append("served")
        seen.settings, seen.path = settings, path
        ready([f"http://{settings.server.listen}"])
        return 0

    def ask(origin, key, model):
        seen.asked = (origin, key, model)
        if isinstance(seen.answer, Exception):
            raise seen.answer
        return seen.answer

    monkeypatch.setattr(demo, "Engine", Engine)
    monkeypatch.setattr(demo, "run_worker", serve)
    monkeypatch.setattr(demo, "ask", ask)
    monkeypatch.setattr(demo, "Thread", Thread)
    monkeypatch.setattr(install, "missing", lambda: seen.missing)
    monkeypatch.setattr(install, "install", lambda argv, say: seen.events.append("installed"))
    return seen


@pytest.fixture
def port():
    """A free address."""
    return f"127.0.0.1:{free_port()}"


def key_shown(done):
    """The key of the page."""
    return re.search(r"(?m)^  KEY=(\S+)$", done.out)[1]


def test_a_first_start_shows_a_real_answer_and_how_to_go_on(trivium, stage, port):
    """Question, answer, calls with the key that was made."""
    done = trivium("demo", "--listen", port)
    assert done.code == 0
    assert "smollm2 says: A gate.\n" in done.out
    assert stage.asked == (f"http://{port}", key_shown(done), "smollm2")
    assert f"http://{port}/v1/chat/completions" in done.out
    assert f"listening on http://{port}" in done.err


def test_the_engine_is_there_before_and_stopped_after(trivium, stage, port):
    """Nothing is left behind."""
    trivium("demo", "--listen", port)
    assert stage.events == ["engine started", "served", "engine stopped"]


def test_what_is_served_is_the_folders_own(trivium, stage, port, folder):
    """The engine as channel, its key from a file, the database inside."""
    trivium("demo", "--listen", port, "--dir", "here")
    (channel,) = stage.settings.channels
    assert stage.path == folder / "here" / "trivium.toml"
    assert ("http://127.0.0.1:41234/v1", "file:engine.key") == (channel.base_url, channel.api_key)
    assert (folder / "here" / "engine.key").read_text() == "engine-key"


def test_a_second_start_shows_the_same_key(trivium, stage, port):
    """What was pasted yesterday works today."""
    first = key_shown(trivium("demo", "--listen", port))
    assert first == key_shown(trivium("demo"))
    assert stage.settings.server.listen == port


def test_the_password_is_shown_at_the_first_start_only(trivium, stage, port, folder):
    """And it is the demo user's, who sees everything there is to see."""
    shown = re.search(r"with the password (\S+)\n", trivium("demo", "--listen", port).out)[1]
    assert "with the password of the first start" in trivium("demo").out

    async def log_in():
        database = Database(f"sqlite:///{folder / 'demo' / 'trivium.db'}")
        settings, vault = AccountsSettings(), Vault(Keyring(b"k" * 32))
        accounts = Service(database, SystemClock(), settings, origin="http://x", vault=vault)
        try:
            return await accounts.login.with_password("demo", shown, Visitor())
        finally:
            accounts.close()
            await database.close()

    user = asyncio.run(log_in()).user
    assert ("demo", UserRole.ADMIN) == (user.name, user.role)


@pytest.mark.parametrize("loss", ["revoked", "database gone", "file gone"])
def test_a_key_that_is_no_good_is_replaced(trivium, stage, port, folder, loss):
    """The demo repairs itself."""
    first = key_shown(trivium("demo", "--listen", port))
    if loss == "revoked":
        assert trivium("key", "revoke", first, "--config", "demo/trivium.toml").code == 0
    elif loss == "database gone":
        for path in (folder / "demo").glob("trivium.db*"):
            path.unlink()
    else:
        (folder / "demo" / "key").unlink()
    second = key_shown(trivium("demo"))
    assert first != second
    listed = trivium("key", "list", "--config", "demo/trivium.toml", "--json").data
    assert second[-4:] in [key["hint"] for key in listed if not key["disabled"]]


def test_settings_of_another_gateway_do_not_count(trivium, stage, port, monkeypatch, folder):
    """Or the demo's user would be made in somebody's real database."""
    monkeypatch.setenv("TRIVIUM_STORAGE__URL", "sqlite:///real.db")
    assert trivium("demo", "--listen", port).code == 0
    assert not (folder / "real.db").exists()
    assert not [name for name in stage.environ if name.startswith("TRIVIUM_")]


def test_a_taken_port_is_told_before_anything_slow(trivium, stage):
    """With the way out."""
    stage.missing = True
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        listen = f"127.0.0.1:{other.getsockname()[1]}"
        done = trivium("demo", "--listen", listen)
    assert done.code == 1
    assert done.err == (
        f"trivium: cannot listen on {listen}: another program listens there; "
        "choose another with --listen HOST:PORT\n"
    )
    assert stage.events == []


def test_a_missing_engine_is_fetched(trivium, stage, port, monkeypatch):
    """And then started."""
    stage.missing = True
    monkeypatch.setattr(install, "command", lambda _: ["pip"])
    trivium("demo", "--listen", port)
    assert stage.events[:2] == ["installed", "engine started"]


def test_nothing_is_fetched_where_that_is_not_wanted(trivium, stage, port):
    """It says what to do without."""
    stage.missing = True
    done = trivium("demo", "--listen", port, "--no-install")
    assert (1, []) == (done.code, stage.events)
    assert "`trivium init` writes a trivium.toml" in done.err


def test_an_engine_that_does_not_come_up_is_one_line(trivium, stage, port, monkeypatch):
    """No traceback for a broken installation."""

    def start(log, environ):
        raise EngineError("the local engine was not ready in time")

    monkeypatch.setattr(demo.Engine, "start", start)
    done = trivium("demo", "--listen", port)
    assert done.code == 1
    assert "trivium: the local engine was not ready in time\n" in done.err


def test_a_first_question_that_fails_is_told_and_serving_goes_on(trivium, stage, port, folder):
    """The log is named."""
    stage.answer = GreetingFailed("status 502: broke")
    done = trivium("demo", "--listen", port)
    assert done.code == 0
    assert "the first request failed: status 502: broke" in done.err
    assert str(folder / "demo" / "engine.log") in done.err
    assert "curl" in done.out


def test_a_settings_file_that_lost_the_engine_is_told(trivium, stage, port, folder):
    """The operator's file is not written over."""
    trivium("demo", "--listen", port)
    (folder / "demo" / "trivium.toml").write_text("[server]\n" + f'listen = "{port}"\n')
    done = trivium("demo")
    assert done.code == 1
    assert "the line that ends in" in done.err
    assert stage.events[-1] == "engine stopped"


def test_the_file_can_be_used_by_every_other_command(trivium, stage, port, folder, monkeypatch):
    """From whatever directory."""
    trivium("demo", "--listen", port)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    config = str(folder / "demo" / "trivium.toml")
    assert trivium("check", "--config", config).code == 0
    assert load(Home(folder / "demo").config, {}).models[0].free
    assert [] == list((folder / "elsewhere").iterdir())


@pytest.mark.parametrize("on_path", [True, False])
def test_the_command_that_is_shown_can_be_pasted(tmp_path, monkeypatch, on_path):
    """In a checkout it is on nobody's path."""
    mine = tmp_path / "trivium"
    mine.write_text("")
    mine.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path if on_path else tmp_path / "elsewhere"))
    assert ("trivium" if on_path else str(mine)) == demo.command(str(mine))


def test_what_uvx_runs_is_shown_by_its_place(tmp_path, monkeypatch):
    """Its environment is on the path of this process alone, not on that of another terminal."""
    mine = tmp_path / "archive-v0" / "x" / "bin" / "trivium"
    mine.parent.mkdir(parents=True)
    mine.write_text("")
    mine.chmod(0o755)
    monkeypatch.setenv("PATH", str(mine.parent))
    assert str(mine) == demo.command(str(mine))


def test_another_of_the_same_name_is_not_meant(tmp_path, monkeypatch):
    """It may be of another version."""
    for name in ("mine", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "trivium").write_text("")
        (tmp_path / name / "trivium").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "other"))
    assert str(tmp_path / "mine" / "trivium") == demo.command(str(tmp_path / "mine" / "trivium"))


def test_models_of_speech_are_started_beside_the_engine(trivium, stage, port, folder, monkeypatch):
    """Where they are installed; their calls are shown, and both end with the demo."""
    monkeypatch.setattr("trivium.demo.install.speech_missing", lambda: False)
    done = trivium("demo", "--speech", "--listen", port)
    assert 0 == done.code
    assert ["engine started", "speech started", "served"] == stage.events[:3]
    assert ["engine stopped"] * 2 == stage.events[3:]
    assert "/v1/audio/speech" in done.out
    assert ["local", "speech"] == [channel.name for channel in stage.settings.channels]


def test_models_of_speech_that_are_not_there_are_told_with_the_way_to_get_them(
    trivium, stage, port, monkeypatch
):
    """Nothing is fetched unasked."""
    monkeypatch.setattr("trivium.demo.install.speech_missing", lambda: True)
    done = trivium("demo", "--speech", "--listen", port)
    assert (1, True) == (done.code, "make demo SPEECH=1" in done.err)
    assert [] == stage.events
