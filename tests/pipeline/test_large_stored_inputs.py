"""Large requests whose answers are stored: their input waits in a file, and is kept all the same."""

import errno

import msgspec
import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from gateway import Gateway
from scripted_upstream import Double, Send, chunked, sized
from trivium.pipeline.request_context import RequestContext
from trivium.response_store.service import ResponseStore
from trivium.secret import Keyring
from trivium.settings.model import ResponsesSettings
from trivium.storage.vault import Vault
from trivium.uploads import spool as spooling
from trivium.uploads.spool import Room

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
CHAT = {
    "id": "c1", "object": "chat.completion", "created": 1, "model": "x",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Ada it is."}}],
    "usage": {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27},
}  # fmt: skip
DELTAS = [
    {
        "id": "c1",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Ada it is."}}],
    },
    {"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]
WORDS = "über " * 300_000
OK = [Send(sized(msgspec.json.encode(CHAT), headers=JSON))]
BUSY = [Send(sized(b"{}", status=b"503 Busy", headers=JSON))]
INPUTS = {
    "a string": WORDS,
    "items": [
        {"role": "user", "content": WORDS},
        {"role": "assistant", "content": "Who?"},
        {"role": "user", "content": "You."},
    ],
}


def stream():
    data = b"".join(b"data: " + msgspec.json.encode(row) + b"\n\n" for row in DELTAS)
    return [Send(chunked(data + b"data: [DONE]\n\n", headers=SSE))]


@pytest.fixture
def room(tmp_path):
    """Where the files are, and how much is in them."""
    return Room(str(tmp_path), 0)


@pytest_asyncio.fixture
async def recall(sqlite_database, room):
    memory = ResponseStore(
        sqlite_database, Vault(Keyring(b"k" * 32)), ResponsesSettings(), room=room
    )
    memory.start()
    yield memory
    await memory.close()


@pytest.fixture
def bodies(monkeypatch):
    """What requests still have of their bodies once they are translated."""
    found = []
    slim = RequestContext.slim

    def noted(self):
        found.append(self.recollection.spool.size)
        slim(self)
        found.append(len(self.body) + len(self.exchange.body))
        found.append("input" in self.members.table)

    monkeypatch.setattr(RequestContext, "slim", noted)
    return found


async def created(gateway, status=200, **body):
    found, _, answer = await gateway.post("/v1/responses", {"model": "m"} | body)
    assert status == found, answer[:200]
    return answer


async def given(gateway, response_id):
    """The items of an input, the oldest first."""
    _, _, answer = await gateway.get(f"/v1/responses/{response_id}/input_items?order=asc")
    return msgspec.json.decode(answer)["data"]


def texts(rows):
    return [row["content"][0]["text"] for row in rows]


@pytest.mark.asyncio
@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("kind", INPUTS)
async def test_it_is_kept_without_its_request(recall, room, bodies, kind, is_written):
    """A follow-up and whoever lists the input find all of it, before it is stored and after."""
    async with (
        Double([OK]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        first = msgspec.json.decode(await created(gateway, input=INPUTS[kind]))
        size = len(msgspec.json.encode(INPUTS[kind]))
        assert (0, False) == tuple(bodies[1:])
        assert size - 100 < bodies[0] < size * 2
        if is_written:
            assert await recall.writer.flush()
        said = INPUTS[kind] if kind == "items" else [{"content": INPUTS[kind]}]
        assert [row["content"] for row in said] == texts(await given(gateway, first["id"]))
        await created(gateway, input="Sure?", previous_response_id=first["id"])
        asked = msgspec.json.decode(vendor.requests[-1].body)["messages"]
        contents = [*[row["content"] for row in said], "Ada it is.", "Sure?"]
        assert contents == [row["content"] for row in asked]
        await recall.writer.flush()
    assert 0 == room.taken


@pytest.mark.asyncio
async def test_a_follow_up_with_a_large_history_is_kept_as_well(recall, room, bodies):
    """What it refers to is spelled out, and waits in a file of its own."""
    async with (
        Double([OK]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        first = msgspec.json.decode(await created(gateway, input=WORDS))
        second = msgspec.json.decode(
            await created(gateway, input="Sure?", previous_response_id=first["id"])
        )
        assert 6 == len(bodies)
        assert first["id"] == second["previous_response_id"]
        rows = await given(gateway, second["id"])
        assert [WORDS, "Ada it is.", "Sure?"] == texts(rows)
        await recall.writer.flush()
    assert 0 == room.taken


@pytest.mark.asyncio
async def test_a_stream_and_a_second_channel_find_it_too(recall, room, bodies):
    """The first channel is busy; nothing of the body is left for the second, and nothing missing."""
    async with (
        Double([BUSY]) as busy,
        Double([stream()]) as vendor,
        Gateway.to(("deepseek", busy), ("deepseek", vendor), recall=recall) as gateway,
    ):
        answer = await created(gateway, input=WORDS, stream=True)
        assert bodies[1] == 0
        assert WORDS == msgspec.json.decode(vendor.requests[-1].body)["messages"][0]["content"]
        done = msgspec.json.decode(answer.rpartition(b"data: ")[2].strip())
        assert [WORDS] == texts(await given(gateway, done["response"]["id"]))
        await recall.writer.flush()
    assert 0 == room.taken


@pytest.mark.asyncio
async def test_a_request_without_an_answer_leaves_no_file(recall, room, bodies):
    """Nobody is there to close it but the end of the request."""
    async with (
        Double([BUSY]) as busy,
        Gateway.to(("deepseek", busy), recall=recall) as gateway,
    ):
        await created(gateway, status=503, input=WORDS)
    assert bodies[0] > len(WORDS)
    assert 0 == room.taken


@pytest.mark.asyncio
async def test_a_full_disk_costs_memory_and_nothing_else(recall, room, bodies, monkeypatch):
    """The input stays where it was, and is kept from there; the operator is told."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(spooling.os, "pwrite", full)
    with capture_logs() as lines:
        async with (
            Double([OK]) as vendor,
            Gateway.to(("deepseek", vendor), recall=recall) as gateway,
        ):
            first = msgspec.json.decode(await created(gateway, input=WORDS))
            assert [] == bodies
            assert [WORDS] == texts(await given(gateway, first["id"]))
    assert "input_kept_in_memory" in [line["event"] for line in lines]
    assert 0 == room.taken


@pytest.mark.asyncio
async def test_what_is_not_to_be_stored_makes_no_file(recall, room, monkeypatch):
    """Nor does what is small."""
    made = []
    monkeypatch.setattr(recall, "spool", made.append)
    async with (
        Double([OK]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        await created(gateway, input=WORDS, store=False)
        await created(gateway, input="Hi")
    assert ([], 0) == (made, room.taken)
