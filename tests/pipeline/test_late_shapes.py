"""What a cloud's callers take is imported in a thread, once, and the first of a kind waits for it."""

import asyncio
import threading

import pytest

from gateway import Gateway
from scripted_upstream import Double, Send, sized
from trivium.pipeline import late_shapes
from trivium.wire import registry
from trivium.wire.operation import SHAPE, Operation
from trivium.wire.surface import Surface

JSON = b"Content-Type: application/json\r\n"
ANSWER = b'{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Ho"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":2}}'
OK = [Send(sized(ANSWER, headers=JSON))]
CONVERSE = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}
INVOKE = {
    "anthropic_version": "bedrock-2023-05-31",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "Hi"}],
}


@pytest.fixture
def imported(monkeypatch):
    """Nothing was imported yet; what is, and whether by the loop's own thread."""
    found, own = [], threading.get_ident()
    really, prepare = late_shapes.import_module, registry.prepare

    def import_module(name):
        found.append((name, threading.get_ident() == own))
        return really(name)

    def prepared(operations):
        found.append((*operations, threading.get_ident() == own))
        return prepare(operations)

    monkeypatch.setattr(late_shapes, "_here", {Surface.OWN})
    monkeypatch.setattr(late_shapes, "import_module", import_module)
    monkeypatch.setattr(registry, "prepare", prepared)
    return found


def test_all_that_the_registry_imports_late_is_brought():
    """An operation of a late codec without a late passage would be forgotten."""
    late = {each for each in Operation if SHAPE[each] in registry.LATE_CODECS}
    assert late <= late_shapes.OPERATIONS == set(registry.LATE_PASSAGES)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "body", "what"),
    [
        ("/model/m/converse", CONVERSE, Operation.CONVERSE),
        ("/model/m/invoke", INVOKE, "trivium.pipeline.surface"),
    ],
)
async def test_the_first_of_a_kind_waits_and_no_other(imported, path, body, what):
    """Not in the loop's own thread; the second finds all of it."""
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        imported.clear()  # what the channel is for
        for _ in range(2):
            status, _, answer = await gateway.post(path, body)
            assert (200, True) == (status, b"Ho" in answer)
            assert 1 == [name for name, _ in imported].count(what)
        assert not any(is_own for _, is_own in imported)
        assert "trivium.wire.aws_errors" in [name for name, _ in imported]


@pytest.mark.asyncio
async def test_who_speaks_a_shape_of_every_gateways_waits_for_nothing(imported):
    """No thread, and no task."""
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        imported.clear()
        asked = {"model": "m", "max_tokens": 9, "messages": INVOKE["messages"]}
        assert 200 == (await gateway.post("/v1/messages", asked))[0]
    assert [] == imported


@pytest.mark.asyncio
async def test_an_import_that_failed_is_tried_again_by_the_next(monkeypatch):
    """A disk may be away for a moment."""
    monkeypatch.setattr(late_shapes, "_here", {Surface.OWN})
    outcomes = iter([OSError("no disk"), None])

    def import_module(name):
        error = next(outcomes)
        if error is not None:
            raise error

    monkeypatch.setattr(late_shapes, "import_module", import_module)
    with pytest.raises(OSError, match="no disk"):
        await late_shapes.bring(Surface.PREDICT)
    assert not late_shapes.is_here(Surface.PREDICT)
    await asyncio.gather(late_shapes.bring(Surface.PREDICT))
    assert late_shapes.is_here(Surface.PREDICT)
