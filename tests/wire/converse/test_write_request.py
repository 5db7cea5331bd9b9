"""Conversations as requests of the converse shape: each is one that the vendor's client sends."""

import json
from pathlib import Path

import msgspec
import pytest

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.fit import fitted
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Mend, Rank, Report
from trivium.conversation.parts import CacheMark, Reasoning, Text
from trivium.conversation.request import Extension, FormatKind, ResponseFormat
from trivium.conversation.tools import FunctionTool
from trivium.faults import Fault, Kind
from trivium.wire.codec import ReadContext
from trivium.wire.codecs import CODECS
from trivium.wire.converse.codec import UPSTREAM

FIXTURES = Path(__file__).parents[2] / "fixtures"
OTHERS = [
    (codec, path)
    for codec in CODECS.values()
    for path in sorted((FIXTURES / codec.shape.value / "translate" / "requests").glob("*.json"))
    if codec.shape is not UPSTREAM.shape
]
EVERYTHING = {"cache_marks": 4, "own_fields": "claude", "thinks": "budget"}


def user(*parts):
    """A turn of the user's."""
    return Turn(Role.USER, tuple(Text(one) if isinstance(one, str) else one for one in parts))


def assistant(*parts):
    """A turn of the model's."""
    return Turn(Role.ASSISTANT, tuple(Text(one) if isinstance(one, str) else one for one in parts))


def system(text):
    """An instruction."""
    return Turn(Role.SYSTEM, (Text(text),))


def dropped(report):
    """Members that a report names, with what was done."""
    return {(drop.member, drop.act.value) for drop in report.drops}


@pytest.mark.parametrize(("codec", "path"), OTHERS, ids=[f"{codec.shape.value}-{path.stem}" for codec, path in OTHERS])  # fmt: skip
@pytest.mark.parametrize("known", [{}, EVERYTHING], ids=["unknown", "claude"])
def test_every_request_is_one_that_the_vendors_client_sends(converse, codec, path, known):
    """Those of all other shapes' fixtures; what cannot be carried is refused by name."""
    data = path.read_bytes()
    members = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    said = codec.read_request(members, ReadContext(model="m", stream=False))
    facts = converse.facts(**known)
    report = Report("this model")
    try:
        body = UPSTREAM.write_request(fitted(said, facts, report), facts, report)
    except Fault as fault:
        assert (Kind.UNREPRESENTABLE, True) == (fault.kind, bool(fault.param))  # noqa: PT017 - either
        return
    converse.accepted(json.loads(body))


def test_most_requests_of_other_shapes_are_carried(converse):
    """What is refused above is the exception."""
    carried = 0
    for codec, path in OTHERS:
        members = msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])
        said = codec.read_request(members, ReadContext(model="m", stream=False))
        facts, report = converse.facts(**EVERYTHING), Report("this model")
        try:
            UPSTREAM.write_request(fitted(said, facts, report), facts, report)
        except Fault:
            continue
        carried += 1
    assert carried > len(OTHERS) / 2


def test_words_are_carried(converse):
    """Instructions at the top, turns in their roles, and nothing that nobody asked for."""
    body, report = converse.write(
        converse.request(system("Be brief."), user("Hi"), assistant("Yo"), user("Go"))
    )
    assert body == {
        "messages": [
            {"role": "user", "content": [{"text": "Hi"}]},
            {"role": "assistant", "content": [{"text": "Yo"}]},
            {"role": "user", "content": [{"text": "Go"}]},
        ],
        "system": [{"text": "Be brief."}],
    }
    assert ([], [], []) == (report.drops, report.repairs, report.kept)


def test_only_leading_instructions_are_hoisted(converse):
    """Later ones stay in their place: as they are where the model takes them, else in a tag."""
    turns = (system("A"), user("Hi"), assistant("Yo"), system("C"), user("Go"))
    body, report = converse.write(converse.request(*turns))
    assert [{"text": "A"}] == body["system"]
    assert {"role": "user", "content": [{"text": "<system>\nC\n</system>"}, {"text": "Go"}]} == (
        body["messages"][2]
    )
    assert {("messages", "changed")} == dropped(report)
    body, report = converse.write(converse.request(*turns), mid_system=True)
    assert ["user", "assistant", "system", "user"] == [one["role"] for one in body["messages"]]
    assert [] == report.drops


def test_results_open_the_next_user_turn(converse):
    """All of them, before the words, each with the cache point behind it."""
    turns = (
        user("Go"),
        assistant(ToolCall("a", "f"), ToolCall("b", "f")),
        user(
            "Also",
            ToolResult("b", (Text("B"),), cache=CacheMark()),
            ToolResult("a", (Text("A"),)),
        ),
    )
    body, _ = converse.write(converse.request(*turns, tools=(FunctionTool("f"),)), cache_marks=4)
    rows = body["messages"][2]["content"]
    assert ["toolResult", "toolResult", "cachePoint", "text"] == [next(iter(row)) for row in rows]
    assert ["a", "b"] == [row["toolResult"]["toolUseId"] for row in rows[:2]]


def test_a_history_begins_with_the_user(converse):
    """Whatever else begins it is refused by name."""
    with pytest.raises(Fault, match="user message before any other") as raised:
        converse.write(converse.request(assistant("Yo"), user("Hi")))
    assert "messages" == raised.value.param


def test_no_blank_ends_a_prefill(converse):
    """The vendor refuses it."""
    body, report = converse.write(converse.request(user("Hi"), assistant("So ")))
    assert [{"text": "So"}] == body["messages"][1]["content"]
    assert {("messages", "changed")} == dropped(report)


def test_a_history_that_grows_keeps_its_beginning(converse):
    """Caches compare bytes from the start."""
    turns = (system("A"), user("Hi"), assistant("Yo"), user("Go"))
    short = converse.write(converse.request(*turns))[0]["messages"]
    long = converse.write(converse.request(*turns, assistant("There"), user("Ok")))[0]["messages"]
    assert short == long[: len(short)]


def test_thinking_that_nothing_follows_is_taken_out(converse):
    """As in an answer that was cut: vendors refuse it."""
    thought = Reasoning("Hm")
    turns = (user("Hi"), assistant("So", thought), user("Go"))
    body, _ = converse.write(converse.request(*turns), reasoning_back="text")
    assert [{"text": "So"}] == body["messages"][1]["content"]
    body, report = converse.write(
        converse.request(user("Hi"), assistant(thought), user("Go")), reasoning_back="text"
    )
    assert [{"text": "(no content)"}] == body["messages"][1]["content"]
    assert [Mend.EMPTY_TURN] == [one.what for one in report.repairs]


def test_the_members_that_there_are(converse):
    """Limit, sampling, stop sequences and tier, each in its place."""
    body, report = converse.write(
        converse.request(
            output_max=64,
            stop=("END", ""),
            service_tier="flex",
            sampling=msgspec.convert({"temperature": 0.5, "top_p": 0.9}, _sampling()),
        )
    )
    assert body["inferenceConfig"] == {
        "maxTokens": 64,
        "temperature": 0.5,
        "topP": 0.9,
        "stopSequences": ["END"],
    }
    assert {"type": "flex"} == body["serviceTier"]
    assert [] == report.drops


def _sampling():
    from trivium.conversation.request import Sampling

    return Sampling


@pytest.mark.parametrize(
    ("tier", "sent", "lost"),
    [
        ("auto", None, set()),
        ("default", {"type": "default"}, set()),
        ("priority", {"type": "priority"}, set()),
        ("reserved", {"type": "reserved"}, set()),
        ("fast", None, {("service_tier", "dropped")}),
    ],
)
def test_tiers(converse, tier, sent, lost):
    """Those that the vendor has go there; any other is told."""
    body, report = converse.write(converse.request(service_tier=tier))
    assert (sent, lost) == (body.get("serviceTier"), dropped(report))


def test_the_model_that_says_which_sequence_fired_is_asked(converse):
    """Others refuse the question."""
    request = converse.request(stop=("END",))
    body, _ = converse.write(request, own_fields="claude")
    assert ["/stop_sequence"] == body["additionalModelResponseFieldPaths"]
    assert "additionalModelResponseFieldPaths" not in converse.write(request)[0]
    body, _ = converse.write(converse.request(), own_fields="claude")
    assert "additionalModelResponseFieldPaths" not in body


def test_metadata_goes_as_far_as_the_vendor_takes_it(converse):
    """Sixteen short pairs of plain characters; the rest is in the request record."""
    pairs = [("a", "b"), ("bad!", "x"), ("c", "ü"), ("d", "x" * 257), ("e", "")]
    body, report = converse.write(converse.request(metadata=tuple(pairs)))
    assert {"a": "b", "e": ""} == body["requestMetadata"]
    assert ["metadata"] == report.kept
    many = tuple((f"n{at}", "v") for at in range(17))
    body, report = converse.write(converse.request(metadata=many))
    assert (dict(many[:16]), ["metadata"]) == (body["requestMetadata"], report.kept)
    body, report = converse.write(converse.request(metadata=(("ü", "v"),)))
    assert "requestMetadata" not in body


SCHEMA = b'{"type":"object","properties":{"n":{"type":"integer","minimum":3}}}'


def test_a_schema_holds_the_answer(converse):
    """As text, with its name and its words; limits that no grammar holds become words."""
    wanted = ResponseFormat(FormatKind.SCHEMA, SCHEMA, "count", "How many")
    body, report = converse.write(converse.request(format=wanted))
    definition = body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]
    assert ("count", "How many") == (definition["name"], definition["description"])
    said = json.loads(definition["schema"])
    assert (False, "{minimum: 3}") == (
        said["additionalProperties"],
        said["properties"]["n"]["description"],
    )
    assert {("response_format", "changed")} == dropped(report)
    body, report = converse.write(converse.request(format=wanted), schema_full=True)
    definition = body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]
    assert (SCHEMA.decode(), []) == (definition["schema"], report.drops)


def test_json_without_a_schema_is_asked_for_in_words(converse):
    """The shape has no switch for it."""
    body, report = converse.write(converse.request(format=ResponseFormat(FormatKind.JSON)))
    assert "JSON object" in body["system"][-1]["text"]
    assert {("response_format", "changed")} == dropped(report)
    body, report = converse.write(converse.request(format=ResponseFormat(FormatKind.TEXT)))
    assert ("system" in body, report.drops) == (False, [])


@pytest.mark.parametrize(
    ("members", "known", "param"),
    [
        ({"candidates": 2}, {}, "n"),
        ({"logprobs": True}, {}, "logprobs"),
        ({"modalities": ("text", "image")}, {}, "modalities"),
        ({"format": ResponseFormat(FormatKind.ENUM, b"{}")}, {}, "response_format"),
        (
            {"format": ResponseFormat(FormatKind.SCHEMA, b"{}")},
            {"schema": False},
            "response_format",
        ),
    ],
)
def test_what_callers_rely_on_is_refused_by_name(converse, members, known, param):
    """A 400 that names the member."""
    with pytest.raises(Fault) as raised:
        converse.write(converse.request(**members), **known)
    assert (Kind.UNREPRESENTABLE, param) == (raised.value.kind, raised.value.param)


def test_the_rest_is_told(converse):
    """Hints in the report, bookkeeping in the record."""
    body, report = converse.write(
        converse.request(
            Turn(Role.USER, (Text("Hi"),), name="Ann"),
            verbosity="low",
            user="u",
            safety_id="s",
            store=True,
            cache_key="k",
        )
    )
    assert ["messages"] == list(body)
    assert {("verbosity", "dropped"), ("messages[].name", "dropped")} == dropped(report)
    assert {"user", "safety_identifier", "store", "prompt_cache_key"} == set(report.kept)


def test_the_last_message_is_marked_where_the_whole_request_is(converse):
    """Behind everything in it."""
    request = converse.request(cache=CacheMark("1h"))
    body, _ = converse.write(request, cache_marks=4)
    point = {"cachePoint": {"type": "default", "ttl": "1h"}}
    assert [{"text": "Hi"}, point] == body["messages"][0]["content"]


def extension(member, data):
    """A member that only the caller's shape has."""
    return Extension(member, json.dumps(data).encode(), Rank.CONTRACT)


def test_a_callers_own_members_go_where_they_came_from(converse):
    """Those of this shape as they were; what the gateway settles itself wins."""
    guardrail = {"guardrailIdentifier": "abc123", "guardrailVersion": "1"}
    request = converse.request(
        shape="converse",
        sampling=_sampling()(top_k=5),
        extensions=(
            extension("guardrailConfig", guardrail),
            extension("performanceConfig", {"latency": "optimized"}),
            extension("additionalModelRequestFields", {"top_k": 9, "anthropic_beta": ["x"]}),
        ),
    )
    body, report = converse.write(request, own_fields="claude")
    assert guardrail == body["guardrailConfig"]
    assert {"latency": "optimized"} == body["performanceConfig"]
    assert {"top_k": 5, "anthropic_beta": ["x"]} == body["additionalModelRequestFields"]
    assert [] == report.drops


def test_another_shapes_own_members_are_refused(converse):
    """By their rank and name."""
    with pytest.raises(Fault, match="prediction"):
        converse.write(converse.request(extensions=(extension("prediction", {}),)))
    with pytest.raises(Fault, match=r"messages\[0\]\.x"):
        converse.write(
            converse.request(shape="converse", extensions=(extension("messages[0].x", {}),))
        )
