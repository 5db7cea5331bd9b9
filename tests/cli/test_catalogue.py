"""The catalogue of the database as a file, and back."""

import asyncio
import io
import subprocess
import sys
import threading
import time

import msgspec
import pytest
from sqlalchemy import text

from catalogue.generated import Generator
from trivium.catalogue import store
from trivium.catalogue.toml_writer import written
from trivium.cli.main import run
from trivium.settings.load import load
from trivium.storage.database import Database
from trivium.wiring.catalogue import seal_of
from trivium.wiring.secret import keys_of
from warm import TRIVIUM

SECRET = "sk-canary-0123456789abcdef"
TEXT = f"""\
[groups]
students = "0.8"
[routing]
repeats = 2
[[channels]]
name = "a"
provider = "openai"
api_key = "{SECRET}"
[[models]]
name = "n"
free = true
[[models.bindings]]
channel = "a"
[[models.bindings]]
channel = "first"
weight = 3
"""

pytestmark = pytest.mark.usefixtures("settings", "migrated")


@pytest.fixture
def file(folder):
    """A catalogue beside the settings."""
    path = folder / "catalogue.toml"
    path.write_text(TEXT)
    return path


async def stored():
    """Revision, documents with what is shown of credentials, and the credentials."""
    seal = seal_of(keys_of(load(None, {})))
    database = Database("sqlite:///trivium.db")
    try:
        async with database.read() as conn:
            entries = await store.page(conn, None, 1_000)
            revision = (await store.current(conn)).value
    finally:
        await database.close()
    bodies = {each.at: each.body for each in entries}
    opened = {
        at: seal.open(at.kind, at.name, body.sealed) for at, body in bodies.items() if body.sealed
    }
    shown = {at: (body.document, body.marks) for at, body in bodies.items()}
    return revision, shown, opened


@pytest.fixture
def now():
    """The database's state, asked between two commands."""
    return lambda: asyncio.run(stored())


def test_a_file_is_applied_and_the_second_time_changes_nothing(trivium, file, now):
    """What is done is shown member by member, and is one act."""
    done = trivium("config", "apply", "catalogue.toml", "--yes", "--reason", "spring")
    assert 0 == done.code, done.err
    assert (
        """\
+ channels["a"]
    provider: "openai"
    api_key: sealed …cdef
+ groups["students"]
    "0.8"
+ models["n"]
    free: true
    bindings: [{ channel = "a" }, { channel = "first", weight = 3 }]
+ routing
    repeats: 2
"""
        == done.out
    )
    assert "4 to make\napplied as change 1: the catalogue is at revision 1, in force" in done.err
    first = now()
    again = trivium("config", "apply", "catalogue.toml", "--yes")
    assert (0, "", True) == (again.code, again.out, "nothing to change" in again.err)
    assert first == now()
    (act,) = trivium("audit", "list", "--json").data
    assert ("catalogue_changed", "command line", "spring") == (
        act["kind"], act["agent"], act["detail"]["reason"]
    )  # fmt: skip


def test_what_differs_is_shown_and_nothing_is_done(trivium, file, now):
    """``--exit-code`` for pipelines; ``--json`` for programs; no credential in either."""
    trivium("config", "apply", "catalogue.toml", "--yes")
    before = now()
    same = trivium("config", "diff", "catalogue.toml", "--exit-code")
    assert (0, "") == (same.code, same.out)
    file.write_text(
        TEXT.replace('"0.8"', '"0.7"').replace("cdef", "WXYZ").replace("weight = 3", "weight = 4")
    )
    found = trivium("config", "diff", "catalogue.toml")
    assert (
        """\
~ channels["a"]
    api_key: sealed …cdef -> sealed …WXYZ (another one)
~ groups["students"]
    "0.8" -> "0.7"
~ models["n"]
    bindings[1].weight: 3 -> 4
"""
        == found.out
    )
    failed = trivium("config", "diff", "catalogue.toml", "--exit-code", "--json")
    assert (1, None, 1) == (failed.code, failed.data["change_id"], failed.data["revision"])
    assert {"at": "bindings[1].weight", "before": 3, "after": 4} in (
        failed.data["entries"][2]["members"]
    )
    assert "canary" not in found.out + found.err + failed.out + failed.err
    assert before == now()


def test_what_the_file_does_not_name(trivium, file, folder, now):
    """Stays and is said, or goes where that is asked for."""
    trivium("config", "apply", "catalogue.toml", "--yes")
    file.write_text(TEXT.partition("[[channels]]")[0])
    kept = trivium("config", "diff", "catalogue.toml", "--json")
    assert ([], ['channels["a"]', 'models["n"]']) == (kept.data["entries"], kept.data["kept"])
    said = trivium("config", "apply", "catalogue.toml", "--yes").err
    assert 'kept, though the file has it not: channels["a"]' in said
    (folder / "empty.toml").write_text("")
    gone = trivium("config", "apply", "empty.toml", "--prune", "--yes", "--json")
    assert {"delete"} == {each["action"] for each in gone.data["entries"]}
    assert (2, {}, {}) == now()


def test_the_way_out_and_back(trivium, file, folder, now):
    """What is exported is what was there; credentials are references, the file's own are named."""
    trivium("config", "apply", "catalogue.toml", "--yes")
    before = now()
    done = trivium("config", "export")
    assert 0 == done.code
    assert "canary" not in done.out
    assert 'api_key = "sealed:channels/a/api_key"' in done.out
    assert '#   channels["first"] (trivium.toml:2)' in done.out
    assert "at revision 1" in done.out
    (folder / "back.toml").write_text(done.out)
    (folder / "empty.toml").write_text("")
    assert 0 == trivium("config", "apply", "empty.toml", "--prune", "--yes").code
    assert "there is nothing" not in trivium("config", "export").err
    assert 0 == trivium("config", "apply", "back.toml", "--yes").code
    assert before[1:] == now()[1:]
    sent = trivium("config", "export", "--json").data
    assert (3, 4) == (sent["revision"], len(sent["entries"]))
    assert {"kind": "group", "name": "students", "document": "0.8"} in sent["entries"]


def everything_comes_back(trivium, folder, now, seeds):
    """Generated, exported, wiped and applied again."""
    (folder / "empty.toml").write_text("")
    for seed in seeds:
        documents = Generator(seed).catalogue()
        (folder / "made.toml").write_text(written(documents.items()))
        done = trivium("config", "apply", "made.toml", "--prune", "--yes")
        assert 0 == done.code, f"{seed}: {done.err}"
        _, before, credentials = now()
        assert documents.keys() == before.keys()
        (folder / "back.toml").write_text(trivium("config", "export").out)
        assert 0 == trivium("config", "apply", "empty.toml", "--prune", "--yes").code
        assert {} == now()[1]
        done = trivium("config", "apply", "back.toml", "--yes")
        assert 0 == done.code, f"{seed}: {done.err}"
        assert (before, credentials) == now()[1:], seed
        assert "nothing to change" in trivium("config", "diff", "back.toml").err
        given = trivium("config", "diff", "made.toml", "--exit-code")
        assert (0, "") == (given.code, given.out), seed


@pytest.fixture
def several(monkeypatch):
    """The variable that generated channels name."""
    monkeypatch.setenv("FIRST_API_KEY", "sk-of-a-variable")


@pytest.mark.usefixtures("several")
def test_generated_catalogues_come_back(trivium, folder, now):
    """A few."""
    everything_comes_back(trivium, folder, now, range(3))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("several")
def test_200_generated_catalogues_come_back(trivium, folder, now):
    """The same for many, one after the other in one database."""
    everything_comes_back(trivium, folder, now, range(200))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[server]\n", "catalogue.toml:1: server is no part of the catalogue"),
        ("= 1", "catalogue.toml:1: is not TOML"),
        (
            TEXT.replace('"openai"', '"opnai"'),
            'catalogue.toml:7: channels["a"].provider is "opnai"',
        ),
        (TEXT.replace("weight = 3", "weight = -3"), "catalogue.toml:16: models"),
        (TEXT.replace('"a"', '"b"', 1), 'catalogue.toml:13: models["n"].bindings[0].channel'),
        (TEXT.replace('"0.8"', "0.8"), "catalogue.toml:2: groups"),
        (
            TEXT.replace(SECRET, "sealed:channels/b/api_key"),
            'catalogue.toml:5: channels["a"]: api_',
        ),
        (TEXT.replace(SECRET, "file:second.key"), "catalogue.toml:8: channels"),
        (TEXT.replace('"n"', '"sonnet"'), 'catalogue.toml:10: models["sonnet"].name is taken: tri'),
    ],
)
def test_what_is_wrong_is_told_with_its_line(trivium, file, now, text, said):
    """By apply as by diff, and nothing is changed."""
    file.write_text(text)
    for command in (("diff",), ("apply", "--yes")):
        done = trivium("config", *command, "catalogue.toml")
        assert (1, "") == (done.code, done.out)
        assert f"trivium: {said}" in done.err
        assert SECRET not in done.err
    assert 0 == now()[0]


def test_whoever_is_told_something_newer_is_refused(trivium, file, now):
    """The revision that was read, where it is given."""
    trivium("config", "apply", "catalogue.toml", "--yes")
    file.write_text(TEXT.replace("0.8", "0.7"))
    stale = trivium("config", "apply", "catalogue.toml", "--yes", "--revision", "0")
    assert (1, "") == (stale.code, stale.out)
    assert "changed since revision 0: it is at 1; nothing was changed" in stale.err
    assert 0 == trivium("config", "apply", "catalogue.toml", "--yes", "--revision", "1").code
    assert 2 == now()[0]


def test_of_two_operators_the_second_is_told(trivium, file, folder, now, monkeypatch):
    """Who changed something between the plan and the answer is not overwritten."""
    (folder / "other.toml").write_text('[groups]\nstaff = "0.5"\n')
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    codes = []

    def meanwhile(*_, **__):
        other = threading.Thread(
            target=lambda: codes.append(run(["config", "apply", "other.toml", "--yes"]))
        )
        other.start()
        other.join()
        return True

    monkeypatch.setattr("typer.confirm", meanwhile)
    done = trivium("config", "apply", "catalogue.toml")
    assert ([0], 1) == (codes, done.code)
    assert "the catalogue was changed since revision 0: it is at 1" in done.err
    assert "Nothing was changed" in done.err
    assert ["staff"] == [at.name for at in now()[1]]


def test_nobody_to_ask_and_who_says_no(trivium, file, now, monkeypatch):
    """A pipeline says ``--yes``; else nothing is changed."""
    for options in ((), ("--json",)):
        done = trivium("config", "apply", "catalogue.toml", *options)
        assert (2, True) == (done.code, "use --yes" in done.err)
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    done = trivium("config", "apply", "catalogue.toml")
    assert (1, True) == (done.code, "nothing was changed" in done.err)
    assert 0 == now()[0]


def test_requests_that_would_be_lost_are_told(trivium, file, folder, sqlite_template):
    """Of the last hour, as the API tells them."""

    async def served():
        database = Database("sqlite:///trivium.db")
        async with database.write() as conn:
            columns = (await conn.execute(text("PRAGMA table_info(records)"))).all()
            values = {row.name: 0 if "INT" in row.type else "" for row in columns if row.notnull}
            values |= {
                "request_id": "r1", "at_ms": int(time.time() * 1000), "model": "n", "channel": "a",
                "status": 200,
            }  # fmt: skip
            names = ", ".join(values)
            marks = ", ".join(f":{name}" for name in values)
            await conn.execute(text(f"INSERT INTO records ({names}) VALUES ({marks})"), values)
        await database.close()

    trivium("config", "apply", "catalogue.toml", "--yes")
    asyncio.run(served())
    file.write_text("")
    done = trivium("config", "apply", "catalogue.toml", "--prune", "--yes")
    assert "of the last hour, 1 request for n by a: the model is gone" in done.err


def test_a_file_may_come_by_standard_input(trivium, file, folder, now):
    """For pipes; then nobody can be asked."""
    with file.open() as given:
        done = subprocess.run(
            [TRIVIUM, "config", "apply", "-", "--yes", "--json"],
            cwd=folder, stdin=given, capture_output=True, check=False,
        )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    assert 4 == len(msgspec.json.decode(done.stdout)["entries"])
    assert 1 == now()[0]
