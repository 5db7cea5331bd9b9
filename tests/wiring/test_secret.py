"""Whether a node may start with the secret it has."""

import pytest

from trivium.settings.errors import SettingsError
from trivium.settings.model import Settings, StorageSettings
from trivium.storage.database import Database
from trivium.storage.fingerprint import SecretDiffers
from trivium.wiring import secret


def of(folder, name):
    return Settings(storage=StorageSettings(journal=str(folder / name)))


@pytest.fixture(autouse=True)
def _none(monkeypatch):
    monkeypatch.delenv("TRIVIUM_SECRET", raising=False)


@pytest.mark.asyncio
@pytest.mark.postgres
async def test_a_second_node_with_a_file_of_its_own_is_refused(
    tmp_path, postgresql_server, monkeypatch
):
    """Before it makes one; with the first one's file, or with one secret for both, it starts."""
    from storage.fresh import fresh

    async with fresh(postgresql_server) as url:
        database = Database(url)
        await secret.agreed(of(tmp_path, "one"), database)
        await secret.agreed(of(tmp_path, "one"), database)
        with pytest.raises(SecretDiffers, match="not set here"):
            await secret.agreed(of(tmp_path, "two"), database)
        assert not (tmp_path / "two").exists()
        (tmp_path / "two").mkdir()
        (tmp_path / "two/trivium.key").write_bytes((tmp_path / "one/trivium.key").read_bytes())
        await secret.agreed(of(tmp_path, "two"), database)
        monkeypatch.setenv("TRIVIUM_SECRET", "s" * 32)
        # the first has its file besides, the third has not
        await secret.agreed(of(tmp_path, "one"), database)
        await secret.agreed(of(tmp_path, "three"), database)
        monkeypatch.setenv("TRIVIUM_SECRET", "t" * 32)
        with pytest.raises(SecretDiffers, match="another here"):
            await secret.agreed(of(tmp_path, "three"), database)
        await database.close()


@pytest.mark.asyncio
async def test_a_file_of_this_machine_has_no_other_nodes(sqlite_database, tmp_path):
    """Nothing is asked, nothing made."""
    await secret.agreed(of(tmp_path, "one"), sqlite_database)
    assert not (tmp_path / "one").exists()


@pytest.mark.parametrize("given", ["short", "s" * 32 + " short"])
def test_a_secret_that_is_too_short_is_a_mistake_of_the_settings(tmp_path, monkeypatch, given):
    """In one line, which does not show it."""
    monkeypatch.setenv("TRIVIUM_SECRET", given)
    with pytest.raises(SettingsError, match="at least 32 characters") as caught:
        secret.present(of(tmp_path, "one"))
    assert "short" not in str(caught.value)


def test_the_secret_may_be_in_a_file(tmp_path, monkeypatch):
    """As all other secrets may, for whoever keeps them out of environments; several, too."""
    settings = of(tmp_path, "one")
    file = tmp_path / "secret"
    file.write_text("n" * 32 + " " + "o" * 32 + "\n")
    for given in (file.read_text(), f"file:{file}"):
        monkeypatch.setenv("TRIVIUM_SECRET", given)
        assert secret.keys_of(settings)._keys == secret.present(settings)._keys
        assert 2 == len(secret.present(settings)._keys)
    file.write_text("short\n")
    with pytest.raises(SettingsError, match="at least 32 characters"):
        secret.present(settings)


@pytest.mark.parametrize(
    ("made", "said"), [(None, "cannot be read: No such file"), ("\n", "is empty")]
)
def test_a_file_without_the_secret_is_named(tmp_path, monkeypatch, made, said):
    """Nobody is left to go on with a key of the machine's own."""
    file = tmp_path / "secret"
    if made is not None:
        file.write_text(made)
    monkeypatch.setenv("TRIVIUM_SECRET", f"file:{file}")
    for look in (secret.present, secret.keys_of):
        with pytest.raises(SettingsError, match=f"TRIVIUM_SECRET .*{file}.*{said}"):
            look(of(tmp_path, "one"))
    assert not (tmp_path / "one").exists()


@pytest.mark.parametrize("made", ["directory", "empty", "long"])
def test_a_key_file_that_is_none_is_named(tmp_path, made):
    """With what is wrong with it."""
    settings = of(tmp_path, "one")
    file = secret.key_file(settings)
    file.parent.mkdir()
    if made == "directory":
        file.mkdir()
    else:
        file.write_bytes(b"" if made == "empty" else b"x" * 33)
    with pytest.raises(SettingsError, match=str(file)):
        secret.present(settings)
