"""Everything that would keep the gateway from starting well is named."""

import asyncio
import re
import sqlite3
import textwrap
from contextlib import closing
from pathlib import Path

import certifi
import pytest

from trivium.catalogue import store
from trivium.catalogue.model import (
    CatalogueChange,
    ChangeAuthor,
    EntryBody,
    EntryDiff,
    EntryName,
    Revision,
)
from trivium.storage.database import Database


@pytest.fixture
def results(trivium):
    """Check name to (ok, details), from JSON."""

    def check():
        done = trivium("check", "--json")
        found = done.data
        assert found["ok"] == (done.code == 0)
        return {c["check"]: (c["ok"], "\n".join(c["details"])) for c in found["checks"]}

    return check


def test_a_sound_set_up_passes(trivium, settings):
    """One line a check."""
    trivium("migrate")
    done = trivium("check")
    assert done.code == 0
    assert [line[:6] for line in done.out.splitlines()] == ["ok    "] * 10
    assert "ok      catalogue: 2 channels, 1 model" in done.out


def test_checking_changes_nothing(results, folder, settings):
    """Not even a database file appears."""
    before = sorted(folder.iterdir())
    assert results()["database"] == (True, "trivium.db will be made at the first start")
    assert before == sorted(folder.iterdir())


def test_every_bad_setting_is_named_with_its_line(trivium, settings):
    """All of them at once, each with what would be right."""
    text = settings.read_text()
    settings.write_text('[server]\nlisten = "8080"\nworker = 2\n' + text)
    done = trivium("check")
    assert done.code == 1
    assert "trivium.toml:2: server.listen must be HOST:PORT" in done.out
    assert "trivium.toml:3: server.worker" in done.out
    assert 'Example: listen = "127.0.0.1:8080"' in done.out
    assert done.err == "trivium: check failed: settings\n"


def test_a_secret_that_is_not_there_is_named(results, settings, monkeypatch):
    """With the variable and the file, never a value."""
    monkeypatch.delenv("FIRST_KEY")
    (settings.parent / "second.key").unlink()
    ok, said = results()["catalogue"]
    assert not ok
    assert "FIRST_KEY" in said
    assert "second.key" in said


def test_a_provider_nobody_knows_is_named(results, settings):
    """With the nearest one there is."""
    settings.write_text(settings.read_text().replace('"openai"', '"opnai"'))
    ok, said = results()["catalogue"]
    assert not ok
    assert "did you mean openai?" in said


def test_a_damaged_file_is_found(results, trivium, folder, settings):
    """SQLite's own check of every page."""
    trivium("migrate")
    with closing(sqlite3.connect(folder / "trivium.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path = folder / "trivium.db"
    data = bytearray(path.read_bytes())
    data[4096 * 3 : 4096 * 4] = b"\xff" * 4096
    path.write_bytes(data)
    found = results()
    assert False in {ok for ok, _ in found.values()}
    assert {"integrity", "database"} & {name for name, (ok, _) in found.items() if not ok}


def test_a_file_that_is_no_database_is_told(results, folder, settings):
    """It is not written over."""
    (folder / "trivium.db").write_text("not a database, " * 512)
    ok, said = results()["database"]
    assert (False, True) == (ok, "not a database" in said)


def test_a_balance_that_is_not_its_sum_is_found(results, trivium, folder, settings):
    """The ledger is proved, not believed."""
    trivium("user", "create", "ada", "--email", "a@example.com", "--credit", "10")
    assert results()["ledger"] == (True, "whole")
    with closing(sqlite3.connect(folder / "trivium.db")) as database:
        database.execute("UPDATE accounts SET balance_nanos = balance_nanos + 1")
        database.commit()
    ok, said = results()["ledger"]
    assert not ok
    assert "user 1 has the balance 10.000000001 where entries add up to 10.00" in said


def test_a_newer_schema_is_refused(results, trivium, folder, settings):
    """This version would not start on it."""
    trivium("migrate")
    with closing(sqlite3.connect(folder / "trivium.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = 'r9999'")
        database.commit()
    is_ok, said = results()["schema"]
    assert not is_ok
    assert "step r9999, which this version does not know" in said


def test_a_schema_from_before_the_release_is_refused(results, trivium, folder, settings):
    """Nothing leads on from there; what helps is said."""
    trivium("migrate")
    with closing(sqlite3.connect(folder / "trivium.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = '0003'")
        database.commit()
    is_ok, said = results()["schema"]
    assert not is_ok
    assert "a build before 0.1.0 (step 0003)" in said


def test_a_journal_that_cannot_be_is_told(results, folder, settings):
    """A file stands where the folder should be."""
    (folder / "journal").write_text("")
    assert results()["journal"] == (False, "journal is no folder and cannot be made")


def test_a_journal_is_tried_and_left_empty(results, folder, settings):
    """Writing is the only proof."""
    (folder / "journal").mkdir()
    assert results()["journal"] == (True, "journal is writable")
    assert [] == list((folder / "journal").iterdir())


def test_a_database_server_that_is_away_is_told(results, settings, monkeypatch):
    """Without the password of its address."""
    monkeypatch.setenv("TRIVIUM_STORAGE__URL", "postgresql://u:hush@127.0.0.1:1/db")
    ok, said = results()["database"]
    assert (False, False) == (ok, "hush" in said)


def test_a_folder_that_is_not_there_is_told(results, settings, monkeypatch):
    """SQLite would not make it."""
    monkeypatch.setenv("TRIVIUM_STORAGE__URL", "sqlite:///gone/trivium.db")
    assert results()["database"] == (
        False,
        "gone/trivium.db cannot be made: gone is not a folder",
    )


PAGE = Path(__file__).parents[2] / "docs" / "operate" / "install.md"
BLOCKS = re.findall(r"(?m)(?:^    [^\n]*\n|^\n)+", PAGE.read_text())


@pytest.mark.parametrize("which", [0, 1])
def test_the_manuals_settings_pass(trivium, folder, monkeypatch, which):
    """What people paste first is right."""
    example = [block for block in BLOCKS if "[[models]]" in block][which]
    lines = textwrap.dedent(example).splitlines()
    end = lines.index("TOML") if "TOML" in lines else len(lines)
    (folder / "trivium.toml").write_text("\n".join(lines[lines.index("[[channels]]") : end]))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    done = trivium("check")
    assert (0, True) == (done.code, "1 channel, 1 model" in done.out), done.out


def test_files_that_the_settings_name_are_looked_at(results, folder, settings):
    """A gateway that starts without its authorities would answer nobody."""
    settings.write_text(settings.read_text() + '\n[upstream]\nca_file = "none.pem"\n')
    ok, said = results()["files"]
    assert not ok
    assert "upstream.ca_file: cannot read certificates from 'none.pem'" in said
    (folder / "none.pem").write_bytes(Path(certifi.where()).read_bytes())
    assert (True, "can be used") == results()["files"]


@pytest.mark.parametrize("given", ["short", "s" * 32 + " short"])
def test_a_secret_that_is_too_short_is_told(results, settings, monkeypatch, given):
    """The gateway would not start with it."""
    monkeypatch.setenv("TRIVIUM_SECRET", given)
    ok, said = results()["secret"]
    assert (False, True) == (ok, "at least 32 characters" in said)


@pytest.mark.postgres
def test_nodes_with_different_secrets_are_told(
    results, trivium, settings, monkeypatch, postgresql_server
):
    """And with a folder of their own for files."""
    postgresql_server.psql("CREATE DATABASE nodes;")
    try:
        url = postgresql_server.get_uri(database="nodes")
        monkeypatch.setenv("TRIVIUM_STORAGE__URL", url)
        monkeypatch.setenv("TRIVIUM_SECRET", "o" * 32)
        trivium("migrate")
        assert results()["secret of all nodes"][0]
        trivium("migrate", "--new-secret")
        assert results()["secret of all nodes"][0]
        monkeypatch.setenv("TRIVIUM_SECRET", "n" * 32)
        found = results()
        ok, said = found["secret of all nodes"]
        assert (False, True) == (ok, "the same value on every node" in said)
        assert "404 on the others" in found["assets"][1]
        monkeypatch.setenv("TRIVIUM_ASSETS__URL", "file:///tmp")
        assert "404" not in results()["assets"][1]
    finally:
        postgresql_server.psql("DROP DATABASE nodes WITH (FORCE);")


def test_what_the_database_has_of_the_catalogue_is_checked_beside_the_file(
    trivium, results, settings
):
    """Only where it has something; each problem with its place."""
    trivium("migrate")
    assert "stored catalogue" not in results()
    at = EntryName("model", "stored")
    document = {"name": "stored", "free": True, "bindings": [{"channel": "nowhere"}]}
    diff = EntryDiff(at=at, before=None, after=EntryBody(document=document))

    async def put():
        db = Database("sqlite:///trivium.db")
        async with db.write() as conn:
            new = await store.advance(conn, Revision(), "m")
            assert await store.write(conn, diff, None, new, None, 1)
            told = CatalogueChange(
                id=0, revision=1, at_ms=1, author=ChangeAuthor(), reason="", diffs=(diff,)
            )
            await store.record(conn, told, new.mark)
        await db.close()

    asyncio.run(put())
    ok, details = results()["stored catalogue"]
    assert not ok
    assert details.startswith('database, version 1: models["stored"].bindings[0].channel names no')
