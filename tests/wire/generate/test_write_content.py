"""The history as ``contents``."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.fit import fitted
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Mend, Report
from trivium.conversation.opaque import SIGNATURE, Opaque
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Native,
    Pieces,
    Reasoning,
    ReasoningForm,
    Refusal,
    Remote,
    SearchResult,
    Stored,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.target import Input, ReasoningBack
from trivium.faults import Fault, Kind

PLACEHOLDER = "skip_thought_signature_validator"
PNG = Inline("image/png", "AAAA")


def user(*parts):
    return Turn(Role.USER, tuple(Text(text=p) if isinstance(p, str) else p for p in parts))


def model(*parts):
    return Turn(Role.ASSISTANT, tuple(Text(text=p) if isinstance(p, str) else p for p in parts))


def call(id_, name="f", **members):
    return ToolCall(id=id_, name=name, arguments=members.pop("arguments", "{}"), **members)


def result(id_, text="ok", **members):
    return ToolResult(call_id=id_, parts=(Text(text=text),), **members)


def contents(wires, *turns, shape="messages", **facts):
    body, report = wires.write(wires.request(turns=turns, shape=shape), **facts)
    return body["contents"], report


def texts(rows):
    return [(row["role"], [part.get("text") for part in row["parts"]]) for row in rows]


def test_neighbours_of_one_role_are_put_side_by_side(wires):
    """Parts are never glued."""
    found, _ = contents(wires, user("a"), user("b"), model("c"), model("d", "e"), user("f"))
    assert [("user", ["a", "b"]), ("model", ["c", "d", "e"]), ("user", ["f"])] == texts(found)


@pytest.mark.parametrize("turns", [(model("a"), user("b")), ()])
def test_a_user_comes_first(wires, turns):
    """One who says nothing."""
    found, _ = contents(wires, *turns)
    assert {"role": "user", "parts": [{"text": ""}]} == found[0]


def test_instructions_in_the_middle_stay_there_as_tagged_text(wires):
    """Hoisting them would rewrite everything before; leading ones go to their slot."""
    body, _ = wires.write(
        wires.request(
            instructions=(Text(text="top"),),
            turns=(
                Turn(Role.SYSTEM, (Text(text="first"),)),
                Turn(Role.DEVELOPER, (Text(text="second"),)),
                user("a"),
                Turn(Role.SYSTEM, (Text(text="later"),)),
                user("b"),
            ),
        )
    )
    assert {"parts": [{"text": "top"}, {"text": "first"}, {"text": "second"}]} == body[
        "systemInstruction"
    ]
    assert [("user", ["a", "<system>\nlater\n</system>", "b"])] == texts(body["contents"])


def test_all_results_of_a_turn_stand_in_one_content_in_call_order(wires):
    """Trap 84: as many results as calls; what the user says besides follows."""
    found, _ = contents(
        wires,
        user("go"),
        model(call("1", "f"), call("2", "g"), call("3", "f")),
        user(result("1", "a"), result("2", "", error=True), result("3", "c"), "and?"),
    )
    assert [
        {"functionResponse": {"id": "1", "name": "f", "response": {"output": "a"}}},
        {"functionResponse": {"id": "2", "name": "g", "response": {"error": ""}}},
        {"functionResponse": {"id": "3", "name": "f", "response": {"output": "c"}}},
    ] == found[2]["parts"]
    assert {"role": "user", "parts": [{"text": "and?"}]} == found[3]


def test_results_in_several_messages_become_one_content(wires):
    """Trap 84: as the chat shape brings them, in another order, with one missing."""
    history = (
        user("go"),
        model(call("1"), call("2", "g"), call("3")),
        user(result("3", "c")),
        user(result("1", "a")),
        user("and?"),
    )
    spoken = wires.request(turns=history)
    body, _ = wires.write(fitted(spoken, wires.facts(), Report("x")))
    assert ["a", "[No result was given for this call.]", "c"] == [
        next(iter(row["functionResponse"]["response"].values()))
        for row in body["contents"][2]["parts"]
    ]
    assert ["1", "2", "3"] == [
        row["functionResponse"]["id"] for row in body["contents"][2]["parts"]
    ]


def test_calls_without_ids_are_paired_by_name_and_order(wires):
    """Trap 85: as LangChain sends them."""
    spoken = wires.read(wires.fixture("langchain.request.json"))
    body, _ = wires.write(fitted(spoken, wires.facts(), Report("x")))
    calls = [row["functionCall"] for row in body["contents"][1]["parts"]]
    results = [row["functionResponse"] for row in body["contents"][2]["parts"]]
    assert [one["id"] for one in calls] == [one["id"] for one in results]
    assert 3 == len({one["id"] for one in calls})
    assert ["warm", "cold"] == [one["response"]["output"] for one in results[:2]]
    assert {"error": "no clock"} == results[2]["response"]


def test_a_result_says_the_name_of_its_call(wires):
    """Trap 85: the vendor pairs by name; other shapes have ids only."""
    found, _ = contents(wires, user("go"), model(call("1", "mcp.f")), user(result("1", name="x")))
    assert (
        found[1]["parts"][0]["functionCall"]["name"]
        == found[2]["parts"][0]["functionResponse"]["name"]
    )


def test_the_callers_own_result_object_goes_back_as_it_came(wires):
    """Between callers and upstreams of this shape."""
    structured = b'{"name": "f", "content": {"a": 1.0}}'
    part = result("1", structured=structured)
    turns = (user("go"), model(call("1")), user(part))
    found, _ = contents(wires, *turns, shape="generate")
    assert {"name": "f", "content": {"a": 1.0}} == found[2]["parts"][0]["functionResponse"][
        "response"
    ]
    found, _ = contents(wires, *turns)
    assert {"output": "ok"} == found[2]["parts"][0]["functionResponse"]["response"]


def test_media_in_results(wires):
    """Beside the words, where the model takes it."""
    part = ToolResult(call_id="1", parts=(Text(text="see"), Image(source=PNG)))
    turns = (user("go"), model(call("1")), user(part))
    found, _ = contents(wires, *turns)
    assert {
        "id": "1",
        "name": "f",
        "response": {"output": "see"},
        "parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}],
    } == found[2]["parts"][0]["functionResponse"]
    with pytest.raises(Fault) as caught:
        contents(wires, *turns, inputs=frozenset(Input) - {Input.RESULT_MEDIA})
    assert Kind.UNREPRESENTABLE is caught.value.kind


@pytest.mark.parametrize(
    ("arguments", "args", "mended"),
    [('{"b":1,"a":2.0}', {"b": 1, "a": 2.0}, False), ("", {}, False), ('{"a', {"_raw": '{"a'}, True)],
)  # fmt: skip
def test_arguments_become_an_object(wires, arguments, args, mended):
    """Trap 1, 2: empty ones are ``{}``, broken ones are kept and reported."""
    found, report = contents(
        wires, user("go"), model(call("1", arguments=arguments)), user(result("1"))
    )
    assert args == found[1]["parts"][0]["functionCall"]["args"]
    assert mended == (Mend.ARGUMENTS in [repair.what for repair in report.repairs])


def test_a_free_text_call_has_one_input(wires):
    """As its tool is declared."""
    part = call("1", arguments="ls", kind=CallKind.CUSTOM)
    found, _ = contents(wires, user("go"), model(part), user(result("1")))
    assert {"input": "ls"} == found[1]["parts"][0]["functionCall"]["args"]


def test_signatures_go_back_on_the_exact_part(wires):
    """Trap 82: on the call, on the text, on an empty text, on a thought."""
    signed = (wires.signature(),)
    found, report = contents(
        wires,
        user("go"),
        model(
            Reasoning(text="Plan.", form=ReasoningForm.SUMMARY, opaque=signed),
            Text(text="a", opaque=signed),
            Text(text="b"),
            Text(text="", opaque=signed),
            call("1", opaque=signed),
            call("2"),
        ),
        user(result("1"), result("2")),
    )
    assert [
        {"text": "Plan.", "thought": True, "thoughtSignature": "AAEC"},
        {"text": "a", "thoughtSignature": "AAEC"},
        {"text": "b"},
        {"text": "", "thoughtSignature": "AAEC"},
        {
            "functionCall": {"id": "1", "name": "f", "args": {}},
            "thoughtSignature": "AAEC",
        },
        {"functionCall": {"id": "2", "name": "f", "args": {}}},
    ] == found[1]["parts"]
    assert [] == report.repairs


def test_foreign_history_gets_the_documented_placeholder(wires):
    """Trap 82: the first call of every step, and nobody else's signature."""
    foreign = (Opaque(SIGNATURE, b"sig", wires.other),)
    other = (wires.signature(origin=wires.other),)
    found, report = contents(
        wires,
        user("go"),
        model(Reasoning(text="hm", opaque=foreign), call("1", opaque=other), call("2")),
        user(result("1"), result("2")),
        model(call("3")),
        user(result("3")),
        model("done"),
        user("again"),
        model(call("4", opaque=(wires.signature(),))),
        user(result("4")),
    )
    assert [[PLACEHOLDER, None], [PLACEHOLDER], ["AAEC"]] == [
        [part.get("thoughtSignature") for part in row["parts"]]
        for row in found
        if "functionCall" in row["parts"][-1]
    ]
    assert 2 == sum(repair.what is Mend.FOREIGN_SIGNATURE for repair in report.repairs)
    found, _ = contents(
        wires, user("go"), model(call("1")), user(result("1")), placeholder_signature=None
    )
    assert "thoughtSignature" not in found[1]["parts"][0]


@pytest.mark.parametrize(
    ("back", "rows"),
    [
        (ReasoningBack.SEALED, [{"text": "Hi"}]),
        (ReasoningBack.TEXT, [{"text": "hm", "thought": True}, {"text": "Hi"}]),
    ],
)
def test_thoughts_without_a_signature_stay_out(wires, back, rows):
    """Unless the model wants to read them."""
    found, _ = contents(
        wires, user("go"), model(Reasoning(text="hm"), "Hi"), user("b"), reasoning_back=back
    )
    assert rows == found[1]["parts"]


def test_a_turn_of_which_nothing_is_left_gets_a_filler(wires):
    """Left out, it would glue its neighbours together and change what stood before."""
    found, report = contents(wires, user("a"), model(Reasoning(text="hm")), user("b"))
    assert [("user", ["a"]), ("model", ["(no content)"]), ("user", ["b"])] == texts(found)
    assert Mend.EMPTY_TURN in [repair.what for repair in report.repairs]


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        (Image(source=PNG), [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]),
        (Image(source=Inline("image/jpg", "AAAA")), [{"inlineData": {"mimeType": "image/jpeg", "data": "AAAA"}}]),
        (Audio(source=Inline("audio/wav", "AAAA")), [{"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}}]),
        (Audio(source=None, transcript="said", id="x"), [{"text": "said"}]),
        (Video(source=Remote("https://youtu.be/x")), [{"fileData": {"fileUri": "https://youtu.be/x"}}]),
        (Document(source=Inline("application/pdf", "AAAA"), title="T", context="C"), [{"text": "T\nC"}, {"inlineData": {"mimeType": "application/pdf", "data": "AAAA"}}]),
        (Document(source=Pieces((Text(text="a"), Image(source=PNG)))), [{"text": "a"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]),
        (Document(source=Stored("generate", "files/a", "application/pdf")), [{"fileData": {"mimeType": "application/pdf", "fileUri": "files/a"}}]),
        (SearchResult(source="https://a.example", title="A", texts=(Text(text="x"), Text(text="y"))), [{"text": "A\nhttps://a.example"}, {"text": "x"}, {"text": "y"}]),
        (Refusal(text="No."), [{"text": "No."}]),
        (VendorPart(native=Native("generate", b'{"executableCode":{"code":"1"}}'), kind="executableCode"), [{"executableCode": {"code": "1"}}]),
        (VendorPart(native=Native("messages", b"{}"), kind="search", text="searched"), [{"text": "searched"}]),
    ],
)  # fmt: skip
def test_every_part_has_its_form(wires, part, rows):
    """Order kept, headers before documents."""
    found, _ = contents(wires, user("go", part))
    assert [{"text": "go"}, *rows] == found[0]["parts"]


@pytest.mark.parametrize(
    "part",
    [
        Image(source=Remote("https://a.example/b.png")),
        Document(source=Remote("https://a.example/b.pdf")),
        Image(source=Stored("responses", "file_1")),
        Document(source=Stored("messages", "file_1")),
        Audio(source=None, id="x"),
    ],
)
def test_what_the_vendor_cannot_read_is_refused(wires, part):
    """Never left out in silence."""
    with pytest.raises(Fault) as caught:
        contents(wires, user("go", part))
    assert Kind.UNREPRESENTABLE is caught.value.kind


@pytest.mark.parametrize("kind", [Input.IMAGE, Input.AUDIO, Input.VIDEO, Input.DOCUMENT])
def test_media_that_the_model_does_not_take_is_refused(wires, kind):
    """By its facts."""
    part = {
        Input.IMAGE: Image(source=PNG),
        Input.AUDIO: Audio(source=Inline("audio/wav", "AAAA")),
        Input.VIDEO: Video(source=Inline("video/mp4", "AAAA")),
        Input.DOCUMENT: Document(source=Inline("application/pdf", "AAAA")),
    }[kind]
    with pytest.raises(Fault):
        contents(wires, user(part), inputs=frozenset(Input) - {kind})


def test_offsets_of_a_video_go_back(wires):
    """The only shape that has them."""
    part = Video(source=Inline("video/mp4", "AAAA"), metadata=Native("generate", b'{"fps":2}'))
    found, _ = contents(wires, user(part), shape="generate")
    assert {"fps": 2} == found[0]["parts"][0]["videoMetadata"]


TURNS = st.lists(
    st.sampled_from(
        [
            ("say", "a"),
            ("say", "Grüße"),
            ("picture", ""),
            ("calls", 1),
            ("calls", 3),
            ("think", "hm"),
            ("system", "be brief"),
        ]
    ),
    max_size=6,
)


def history(steps):
    """Rounds: a user's words, the model's answer, its calls answered."""
    turns = [user("start")]
    for at, (kind, value) in enumerate(steps):
        if kind == "calls":
            ids = [f"c{at}_{n}" for n in range(value)]
            turns += [
                model("look", *(call(id_) for id_ in ids)),
                user(*(result(id_) for id_ in ids)),
            ]
        elif kind == "think":
            turns += [model(Reasoning(text=value), "so"), user("next")]
        elif kind == "picture":
            turns += [model("ok"), user(Image(source=PNG))]
        elif kind == "system":
            turns += [model("ok"), Turn(Role.SYSTEM, (Text(text=value),)), user("next")]
        else:
            turns += [model(value), user("next")]
    return turns


@given(steps=TURNS, more=TURNS)
def test_a_longer_history_begins_with_the_bytes_of_the_shorter(wires, steps, more):
    """The prefix law: caches and signatures depend on it."""
    before, after = history(steps), history(steps + more)
    assert before == after[: len(before)]
    sent = [
        contents(
            wires, *fitted(wires.request(turns=tuple(turns)), wires.facts(), Report("x")).turns
        )[0]
        for turns in (before, after)
    ]
    assert sent[0] == sent[1][: len(sent[0])]
