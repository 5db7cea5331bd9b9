"""The gateway's own keys: made once, kept private, the same for everybody who starts."""

import hashlib
import hmac
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from trivium.storage.root_key import RootKeyError, RootKeys, root_keys

OLD, NEW = "o" * 32, "n" * 32


def sealing(keys):
    """The id of the key that seals."""
    return keys.ring("p").id


def opens(keys, other):
    """Whether what ``other`` seals can be opened."""
    return keys.ring("p").get(sealing(other)) == other.ring("p").key


def test_a_key_is_made_once_and_only_its_owner_may_read_it(tmp_path):
    """Also in a folder that is not there yet."""
    file = tmp_path / "new" / "trivium.key"
    key = sealing(root_keys(None, file))
    assert 32 == len(file.read_bytes())
    assert key == sealing(root_keys("", file))
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert [file] == list(file.parent.iterdir())


def test_workers_that_start_together_get_one_key(tmp_path):
    """Whoever comes second takes the first one's."""
    with ThreadPoolExecutor(8) as pool:
        keys = {sealing(k) for k in pool.map(lambda n: root_keys(None, tmp_path / "k"), range(1))}
        keys |= {sealing(k) for k in pool.map(lambda n: root_keys(None, tmp_path / "k"), range(8))}
    assert 1 == len(keys)


def test_a_given_secret_needs_no_file(tmp_path):
    """Nodes with one secret have one key; a line end at its end is none of it."""
    one = sealing(root_keys(OLD, tmp_path / "a"))
    assert one == sealing(root_keys(OLD + "\n", tmp_path / "b"))
    assert one != sealing(root_keys(NEW, tmp_path / "a"))
    assert [] == list(tmp_path.iterdir())


def test_a_secret_is_replaced_in_steps_without_losing_anything(tmp_path):
    """Every node reads both before any seals with the new one; then the old one goes."""
    steps = [OLD, f"{OLD} {NEW}", f"{NEW} {OLD}", NEW]
    first, second, third, last = (root_keys(text, tmp_path / "k") for text in steps)
    assert sealing(first) == sealing(second)
    assert sealing(third) == sealing(last)
    assert opens(second, third)
    assert opens(third, second)
    assert not opens(last, first)


def test_a_file_that_was_put_aside_still_opens(tmp_path):
    """Renamed, it is only read, and a new one is made."""
    file = tmp_path / "trivium.key"
    before = root_keys(None, file)
    file.rename(tmp_path / "trivium.key.old")
    after = root_keys(None, file)
    assert sealing(before) != sealing(after)
    assert opens(after, before)
    (tmp_path / "trivium.key.old").unlink()
    assert not opens(root_keys(None, file), before)


def test_a_gateway_that_changes_over_to_a_secret_reads_its_file(tmp_path):
    """Until somebody takes the file away."""
    file = tmp_path / "trivium.key"
    before = root_keys(None, file)
    after = root_keys(NEW, file)
    assert sealing(after) == sealing(root_keys(NEW, tmp_path / "none"))
    assert opens(after, before)


def test_keys_are_derived_as_rfc_5869_has_it():
    """Extract with a salt of zeros, expand with the purpose; computed here step by step."""
    root = bytes(range(32))
    extracted = hmac.digest(bytes(32), root, "sha256")
    expanded = hmac.digest(extracted, b"trivium traces\x01", "sha256")
    assert expanded == RootKeys(root).ring("traces").key


def test_purposes_have_keys_of_their_own():
    """Neither the key nor its id is shared, and none is the root key or its digest."""
    root = b"r" * 32
    rings = [RootKeys(root).ring(purpose) for purpose in ("envelopes", "responses", "traces")]
    assert 3 == len({ring.key for ring in rings}) == len({ring.id for ring in rings})
    assert not {ring.key for ring in rings} & {root, hashlib.sha256(root).digest()}


@pytest.mark.parametrize("given", ["short", f"{OLD} short", f"short {OLD}"])
def test_a_short_secret_is_refused_with_a_way_to_make_a_good_one(tmp_path, given):
    """Thirty-two characters at least, each of them."""
    with pytest.raises(RootKeyError, match="openssl rand") as caught:
        root_keys(given, tmp_path / "k")
    assert OLD not in str(caught.value)


@pytest.mark.parametrize("name", ["k", "k.old"])
def test_a_file_that_is_no_key_is_refused_and_kept(tmp_path, name):
    """Whatever it is, it may be somebody's."""
    file = tmp_path / name
    file.write_bytes(b"hello")
    with pytest.raises(RootKeyError, match="5 bytes"):
        root_keys(None, tmp_path / "k")
    assert b"hello" == file.read_bytes()


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    """The name of the file, and why."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(RootKeyError, match="cannot be"):
        root_keys(None, tmp_path / "file" / "k")


def test_starting_does_not_load_the_library(tmp_path):
    """It comes with the first thing that is sealed."""
    code = (
        "import pathlib, sys\n"
        "from trivium.storage.vault import Vault\n"
        "from trivium.storage.root_key import root_keys\n"
        "vault = Vault(root_keys(None, pathlib.Path(sys.argv[1])).ring('p'))\n"
        "before = 'cryptography' in sys.modules\n"
        "vault.seal(b'', b'')\n"
        "print(before, 'cryptography' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(tmp_path / "k")],
        capture_output=True,
        text=True,
        check=True,
        env={},
    )
    assert "False True" == done.stdout.strip()
