"""The gateway's own key: made once, kept private, the same for everybody who starts."""

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from trivium.storage.root_key import RootKeyError, root_key


def test_a_key_is_made_once_and_only_its_owner_may_read_it(tmp_path):
    """Also in a folder that is not there yet."""
    file = tmp_path / "new" / "trivium.key"
    key = root_key(None, file)
    assert 32 == len(key)
    assert key == root_key(None, file)
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert [file] == list(file.parent.iterdir())


def test_workers_that_start_together_get_one_key(tmp_path):
    """Whoever comes second takes the first one's."""
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda n: root_key(None, tmp_path / "k"), range(1)))
        keys |= set(pool.map(lambda n: root_key(None, tmp_path / "k"), range(8)))
    assert 1 == len(keys)


def test_a_given_secret_needs_no_file(tmp_path):
    """Nodes with one secret have one key."""
    one = root_key("x" * 32, tmp_path / "a")
    assert one == root_key("x" * 32, tmp_path / "b")
    assert one != root_key("y" * 32, tmp_path / "a")
    assert [] == list(tmp_path.iterdir())


def test_a_short_secret_is_refused_with_a_way_to_make_a_good_one(tmp_path):
    """Thirty-two characters at least."""
    with pytest.raises(RootKeyError, match="openssl rand"):
        root_key("short", tmp_path / "k")


def test_a_file_that_is_no_key_is_refused_and_kept(tmp_path):
    """Whatever it is, it may be somebody's."""
    file = tmp_path / "k"
    file.write_bytes(b"hello")
    with pytest.raises(RootKeyError, match="5 bytes"):
        root_key(None, file)
    assert b"hello" == file.read_bytes()


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    """The name of the file, and why."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(RootKeyError, match="cannot be"):
        root_key(None, tmp_path / "file" / "k")
