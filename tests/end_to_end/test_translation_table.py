"""docs/translation.md says what the codecs do, feature by feature and pair by pair."""

import itertools
import re
from pathlib import Path

import msgspec
import pytest

from end_to_end.features import rules, streams, verdicts
from end_to_end.features.asking import SHAPES
from end_to_end.features.canonical import of_answer
from end_to_end.features.requests import REQUESTS
from end_to_end.features.table import COLUMNS, cells, document, lost, weakest
from end_to_end.features.telling import TELLINGS
from end_to_end.features.verdicts import (
    LOSSLESS,
    LOST,
    NO_WORDS,
    REFUSED,
    REPORTED,
    conversation,
    heard,
    of_asking,
    reading,
    written,
)
from trivium.conversation.losses import INVENTED
from trivium.faults import Fault, Kind
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Shape

PAGE = Path(__file__).resolve().parents[2] / "docs" / "translation.md"


def test_the_page_is_what_the_codecs_do():
    """`scripts/translation_table.py` writes it anew."""
    assert document() == PAGE.read_text()


def test_nothing_is_lost_in_silence():
    """A feature that does not arrive is reported or refused."""
    assert {} == lost()


def test_no_cell_is_untested():
    """36 pairs, each with a verdict on every feature; every verdict is one of the words."""
    found = cells()
    titles = {(kind, title) for kind, title, _, _ in found}
    assert len(titles) * 36 == len(found)
    assert len(titles) > 90
    for (kind, *_), cell in found.items():
        allowed = {LOSSLESS, REPORTED, NO_WORDS} | ({REFUSED} if kind == "asked" else set())
        assert cell.word in allowed


def test_every_pair_carries_what_most_clients_use():
    """Text, streams and tools arrive everywhere; nothing else of the summary is without a word."""
    for caller, upstream in itertools.product(SHAPES, SHAPES):
        words = {column: weakest(column, caller, upstream) for column in COLUMNS}
        assert {words[name] for name in ("text", "stream")} == {LOSSLESS}
        assert words["tools"] in (LOSSLESS, REPORTED)
        assert not {NO_WORDS, LOST} & set(words.values()), (caller, upstream, words)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_shape_loses_nothing(shape):
    """It is relayed."""
    own = {cell.word for (_, _, *pair), cell in cells().items() if pair == [shape, shape]}
    assert own <= {LOSSLESS, NO_WORDS}


@pytest.mark.parametrize(
    ("case", "shape"),
    [
        pytest.param(case, shape, id=f"{case.title}-{shape}")
        for case in TELLINGS
        for shape in case.bodies
    ],
)
def test_an_answer_means_the_same_whole_and_streamed(case, shape):
    """The bodies of the table and their streams are one answer to their own readers."""
    body = case.bodies[shape]
    whole = CODECS[Shape(shape)].read_answer(msgspec.json.encode(body), reading(shape))
    streamed = heard(shape, streams.stream(shape, body))
    assert streamed.fault is None
    assert of_answer(whole) == of_answer(streamed.answer())


def test_what_has_no_place_is_excused_only_where_it_has_none():
    """An excuse that is no longer needed would hide the next loss."""
    excused = {(case.title, caller) for case in TELLINGS for caller in case.placeless}
    needed = {
        (title, caller)
        for (kind, title, caller, _), cell in cells().items()
        if kind == "told" and cell.differs
    }
    assert needed == excused
    assert all(case.note for case in TELLINGS if case.placeless)


def test_the_words_of_a_feature_are_its_own():
    """Titles tell features apart: two of one name would hide each other."""
    titles = [case.title for case in REQUESTS]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("caller", SHAPES)
@pytest.mark.parametrize("case", REQUESTS, ids=lambda case: case.title)
def test_what_is_dropped_is_refused_in_strict_mode(case, caller):
    """`trivium-strict: true` makes every drop a 400, and words that nobody said; else nothing
    changes.
    """
    body = case.bodies.get(caller)
    for upstream in SHAPES:
        if body is None or upstream == caller:
            continue
        spoken = conversation(caller, body)
        try:
            data, report = written(spoken, upstream)
        except Fault:
            continue
        if report.drops or any(one.what in INVENTED for one in report.repairs):
            with pytest.raises(Fault) as caught:
                written(spoken, upstream, strict=True)
            assert Kind.UNREPRESENTABLE is caught.value.kind
        else:
            assert data == written(spoken, upstream, strict=True)[0]


@pytest.mark.parametrize("caller", SHAPES)
@pytest.mark.parametrize("case", REQUESTS, ids=lambda case: case.title)
def test_what_is_named_is_what_the_caller_sent(case, caller):
    """A report and a refusal name members of the caller's own body."""
    body = case.bodies.get(caller)
    for upstream in SHAPES:
        if body is None or upstream == caller:
            continue
        try:
            _, report = written(conversation(caller, body), upstream)
            named = [drop.member for drop in report.drops]
        except Fault as fault:
            named = [fault.param]
        words = set(re.findall(r"\w+", msgspec.json.encode(body).decode()))
        assert set() == set(re.findall(r"[^\W\d]\w*", " ".join(named))) - words, upstream


@pytest.mark.parametrize(
    ("title", "upstream"), [("temperature", "messages"), ("seed", "generate"), ("tools", "chat")]
)
def test_a_writer_that_forgets_a_member_would_be_seen(monkeypatch, title, upstream):
    """The table can say `lost`."""
    case = next(case for case in REQUESTS if case.title == title)
    codec = CODECS[Shape(upstream)]

    def forgetful(spoken, facts, report):
        body = msgspec.json.decode(codec.write_request(spoken, facts, report))
        body.pop("temperature", None)
        body.pop("tools", None)
        body.get("generationConfig", {}).pop("seed", None)
        return msgspec.json.encode(body)

    broken = msgspec.structs.replace(codec, write_request=forgetful)
    monkeypatch.setattr(verdicts, "CODECS", {**CODECS, Shape(upstream): broken})
    caller = "messages" if upstream == "chat" else "chat"
    assert LOST == of_asking(case, caller, upstream).word


CALL_OF_CONVERSE = {"toolUse": {"toolUseId": "a", "name": "look", "input": {}}}


@pytest.mark.parametrize(
    ("shape", "change"),
    [
        ("chat", {"top_k": 1}),
        ("chat", {"tool_choice": "auto"}),
        ("chat", {"messages": [{"role": "tool", "tool_call_id": "a", "content": "x"}]}),
        ("chat", {"messages": [{"role": "user", "content": []}]}),
        ("responses", {"max_output_tokens": 1}),
        ("responses", {"input": [{"type": "reasoning", "id": "rs_1", "summary": []}]}),
        ("messages", {"max_tokens": 0}),
        ("messages", {"messages": [{"role": "assistant", "content": "x"}]}),
        ("messages", {"messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]}),
        ("generate", {"contents": [{"role": "user", "parts": []}]}),
        ("generate", {"generationConfig": {"stopSequences": list("abcdef")}}),
        ("converse", {"frobnicate": 1}),
        ("converse", {"messages": [{"role": "assistant", "content": [{"text": "x"}]}]}),
        ("converse", {"messages": [{"role": "user", "content": [{"text": " "}]}]}),
        ("converse", {"messages": [{"role": "user", "content": [CALL_OF_CONVERSE]}]}),
        ("converse", {"inferenceConfig": {"maxTokens": "many"}}),
        ("converse", {"toolConfig": {"tools": []}}),
        ("cohere", {"top_p": 0.5}),
        ("cohere", {"messages": [{"role": "tool", "content": "x"}]}),
        ("cohere", {"messages": [{"role": "user", "content": [{"type": "audio"}]}]}),
        ("cohere", {"stop_sequences": list("abcdef")}),
    ],
)
def test_the_doubles_refuse_what_their_vendors_refuse(shape, change):
    """A check that lets everything pass would prove nothing."""
    body = next(case for case in REQUESTS if case.title == "plain text").bodies[shape]
    rules.check(shape, body)
    with pytest.raises(rules.Broken):
        rules.check(shape, body | change)
