"""The header, whose key it is, and what counts as the same request."""

import asyncio

import msgspec
import pytest

from trivium.faults import Fault
from trivium.idempotency import key
from trivium.identity.model import Caller
from trivium.uploads.form import Upload
from trivium.uploads.spool import Room, Spool
from trivium.wire.multipart import Part

ADA = Caller(
    key_id=1, user_id=3, payer_id=3, unlimited=False, disabled=False, expires_at=float("inf"),
    models=frozenset(), prefixes=(),
)  # fmt: skip


@pytest.mark.parametrize("value", [b"a", b"a" * 255, b"with a space", b"5b7a1f0e-9d3c"])
def test_a_good_key_is_taken(value):
    """Whatever is printable and short."""
    assert value == key.checked([value])


def test_a_key_that_is_said_twice_is_one():
    """By a client and by its proxy."""
    assert b"a" == key.checked([b"a", b"a"])


@pytest.mark.parametrize("values", [[b""], [b"a" * 256], [b"\xe9"], [b"a\tb"], [b"a", b"b"]])
def test_a_bad_key_is_refused_by_name(values):
    """Empty, long, of other characters, or twice."""
    with pytest.raises(Fault) as refused:
        key.checked(values)
    assert (400, "Idempotency-Key") == (refused.value.status, refused.value.param)


def test_another_body_is_not_to_be_repeated():
    """The SDKs of OpenAI and Anthropic repeat a 409 on their own."""
    fault = key.other_body(b"k-1")
    assert (422, False, True) == (fault.status, fault.retry, "'k-1'" in fault.message)


def test_an_answer_is_its_owners():
    """Keys of one owner share it unless one may use other models; an application's do not."""
    place = key.place_of(ADA, b"k")
    assert place == key.place_of(msgspec.structs.replace(ADA, key_id=2), b"k")
    changes = [
        {"user_id": 4},
        {"grant_id": 7},
        {"team_id": 5},
        {"narrowed": ((frozenset({"m"}), ()),)},
        {"narrowed": ((frozenset(), ("m",)),)},
        {"models": frozenset({"m"})},
        {"prefixes": ("m",)},
        {"strict": True},
    ]
    others = [key.place_of(msgspec.structs.replace(ADA, **each), b"k") for each in changes]
    assert 1 + len(changes) == len({place, *others})
    assert place != key.place_of(ADA, b"k2")


async def digest(method="POST", path=b"/v1/x", query=b"", body=b"{}", upload=None):
    return await key.body_digest(method, path, query, body, upload)


@pytest.mark.asyncio
async def test_method_path_query_and_body_count():
    """A gateway key in the query does not: it says who asks."""
    same = {await digest(), await digest(query=b"key=one"), await digest(query=b"key=two")}
    assert 1 == len(same)
    others = [
        await digest(method="PUT"),
        await digest(path=b"/v1/y"),
        await digest(query=b"alt=sse"),
        await digest(body=b"{ }"),
        await digest(body=b"x" * (key.APART_BYTES + 1)),
    ]
    assert 6 == len({*others, *same})


async def form(*parts, files=b""):
    spool = Spool(Room())
    spool.write(files)
    await asyncio.sleep(0)
    return await digest(body=b"", upload=Upload(parts, spool, 99))


@pytest.mark.asyncio
async def test_a_form_is_its_parts():
    """A client draws another boundary each time, which is not in them."""
    text = Part(name="model", value=b"m")
    file = Part(name="file", filename="a.wav", content_type="audio/wav", size=4)
    first = await form(text, file, files=b"RIFF")
    assert first == await form(text, file, files=b"RIFF")
    others = [
        await form(file, text, files=b"RIFF"),
        await form(text, file, files=b"RAFF"),
        await form(text, msgspec.structs.replace(file, filename="b.wav"), files=b"RIFF"),
        await form(Part(name="model", value=b"n"), file, files=b"RIFF"),
        await form(Part(name="modelm"), file, files=b"RIFF"),
    ]
    assert 6 == len({first, *others})
