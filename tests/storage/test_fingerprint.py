"""Nodes of one database have one secret, or they are told."""

import asyncio
import itertools

import pytest

from trivium.storage.fingerprint import SecretDiffers, agree, difference, known, marks, replace
from trivium.storage.root_key import root_keys

OLD, NEW, OTHER = "o" * 32, "n" * 32, "x" * 32


def keys(given, folder):
    return root_keys(given, folder / "none" / "trivium.key")


@pytest.mark.asyncio
async def test_a_secret_is_replaced_node_by_node(database, tmp_path):
    """As the page says: nobody who follows it is refused, whichever node restarts when."""
    steps = [OLD, f"{OLD} {NEW}", f"{NEW} {OLD}", NEW]
    for first, second in itertools.pairwise(steps):
        # the second node is one step behind, and restarts again and again
        for given in (first, second, first, second, second):
            await agree(database, keys(given, tmp_path), "trivium.key")
    assert marks(keys(NEW, tmp_path)) == [await known(database)]


@pytest.mark.parametrize("given", [OTHER, f"{OTHER} {NEW}"])
@pytest.mark.asyncio
async def test_another_secret_is_refused_and_changes_nothing(database, tmp_path, given):
    """What it would store the others could not open, and what they stored it could not."""
    await agree(database, keys(OLD, tmp_path), "trivium.key")
    before = await known(database)
    with pytest.raises(SecretDiffers, match="set TRIVIUM_SECRET to the same value on every node"):
        await agree(database, keys(given, tmp_path), "trivium.key")
    assert before == await known(database)


@pytest.mark.asyncio
async def test_a_node_without_a_secret_is_refused_before_it_makes_one(database, tmp_path):
    """And may make one where it is the first."""
    await agree(database, None, "journal/trivium.key")
    await agree(database, keys(OLD, tmp_path), "journal/trivium.key")
    with pytest.raises(SecretDiffers, match=r"not set here.*journal/trivium\.key"):
        await agree(database, None, "journal/trivium.key")


@pytest.mark.asyncio
async def test_of_two_that_start_at_once_one_is_refused(database, tmp_path):
    """The database decides who was first."""
    both = [agree(database, keys(given, tmp_path), "f") for given in (OLD, NEW)]
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    assert [True, False] == sorted(isinstance(one, SecretDiffers) for one in outcomes)[::-1]


@pytest.mark.asyncio
async def test_the_former_secret_can_be_given_up(database, tmp_path):
    """It was lost, or somebody has got it."""
    await agree(database, keys(OLD, tmp_path), "f")
    await replace(database, keys(NEW, tmp_path))
    await agree(database, keys(NEW, tmp_path), "f")
    with pytest.raises(SecretDiffers):
        await agree(database, keys(OLD, tmp_path), "f")


def test_the_mark_tells_nothing_of_the_secret(tmp_path):
    """Four bytes under a key of its own: none of what other purposes derive."""
    own = keys(OLD, tmp_path)
    (mark,) = marks(own)
    assert 8 == len(mark)
    assert mark not in {own.ring(purpose).id.hex() for purpose in ("traces", "responses", "assets")}
    assert "" == difference(mark, own, "f")
    assert OLD not in difference("00000000", own, "f")
