"""Every operation's passage keeps the contract, whatever the body holds besides."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.wire.operation import ASYNC_JOBS, SHAPE, UPSTREAM_ONLY, Operation, Shape
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import members
from trivium.wire.registry import PASSAGES

NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=3, max_size=8).map(
    lambda name: f"x_{name}"
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
BODIES = {
    Shape.CHAT: {"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": True},
    Shape.RESPONSES: {"model": "m", "input": "x", "stream": True},
    Shape.COMPLETIONS: {"model": "m", "prompt": "x", "stream": True},
    Shape.EMBEDDINGS: {"model": "m", "input": "x"},
    Shape.MODERATIONS: {"model": "m", "input": "x"},
    Shape.RERANK: {"model": "m", "query": "x", "documents": ["y"]},
    Shape.MESSAGES: {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]},
    Shape.GENERATE: {"contents": []},
    Shape.CONVERSE: {"messages": []},
    Shape.IMAGES: {"model": "m", "prompt": "x"},
    Shape.AUDIO: {"model": "m", "input": "x", "voice": "v"},
    Shape.COHERE: {"model": "m", "messages": [{"role": "user", "content": "x"}], "texts": ["x"]},
}
FORMS = frozenset({Operation.TRANSCRIPTIONS, Operation.TRANSLATIONS, Operation.IMAGES_VARY})
"""Operations whose body is a form: its parts are kept by another test."""


def test_every_operation_has_a_passage():
    """A new operation without one cannot be served, unless jobs are made of it."""
    assert set(Operation) - ASYNC_JOBS - UPSTREAM_ONLY == set(PASSAGES)


def body_of(operation):
    if operation is Operation.GENERATE_EMBED:
        return {"content": {"parts": [{"text": "x"}]}}
    if operation is Operation.GENERATE_EMBED_BATCH:
        return {"requests": [{"model": "models/m", "content": {"parts": [{"text": "x"}]}}]}
    if operation is Operation.INVOKE_EMBED:
        return {"texts": ["x"], "input_type": "search_query"}
    if operation is Operation.CONVERSE_COUNT:
        return {"input": {"converse": {"messages": []}}}
    return BODIES[SHAPE[operation]]


@pytest.mark.parametrize("operation", [one for one in PASSAGES if one not in FORMS])
@given(more=st.dictionaries(NAMES, VALUES, max_size=4))
def test_every_member_nobody_reads_keeps_its_bytes_and_its_place(operation, more):
    """Whatever else is replaced; the order of members is the caller's."""
    raw = msgspec.json.encode({**more, **body_of(operation)})
    body = members(raw)
    passage = PASSAGES[operation]
    facts = passage.facts(body)
    if SHAPE[operation] is Shape.GENERATE:
        facts = msgspec.structs.replace(facts, model="m")
    changed = passage.changes(body, facts, "own", True)
    out = members(body.splice(changed))
    kept = [(n, bytes(v)) for n, v in body.pairs if n not in changed]
    assert kept == [(n, bytes(v)) for n, v in out.pairs if n not in changed]
    names = [n for n, _ in out.pairs]
    assert names == [n for n, _ in body.pairs] + [n for n in names if n not in body]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("operation", list(PASSAGES))
def test_a_watch_is_fresh_each_time(operation):
    """What one answer said never shows in another."""
    passage = PASSAGES[operation]
    if passage.watch is None:
        return
    facts = RequestFacts(model="m", stream=True)
    one, two = passage.watch(facts), passage.watch(facts)
    assert one is not two
    assert (None, False, None) == (one.usage, one.finished, one.error)
