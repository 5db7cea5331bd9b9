"""Passes over what is said: conversations to be written, answers to be read."""

import msgspec

from growth import asked, canonical
from trivium.conversation.answer_events import replayed
from trivium.conversation.assemble import assembled
from trivium.conversation.calls import ToolCall
from trivium.conversation.custom_tools import Customs
from trivium.conversation.estimate import tokens
from trivium.conversation.events import Delta, Finished, PartEnd, PartStart, spelled
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.inline_files import inlined, kinds_of, wanted
from trivium.conversation.items import Role, Turn
from trivium.conversation.names import qualified, short
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Inline, Reasoning, Text
from trivium.conversation.sequential_parts import SequentialParts
from trivium.conversation.stop_sequences import CHARACTERS_MAX, Cutter, cut
from trivium.conversation.target import target
from trivium.conversation.tool_names import restored, restored_events, shortened
from trivium.conversation.tools import CustomTool
from trivium.conversation.turns import calls, is_marked, marks
from trivium.conversation.unrequested_reasoning import ReasoningRemover, muted
from trivium.pipeline.continuation import Rounds
from trivium.providers.wrapping import BEDROCK_MESSAGES
from trivium.response_store.signatures.model import SignatureTrace
from trivium.response_store.signatures.tracer import Tracer, retraced
from trivium.wire import (
    peek,
)
from trivium.wire.bedrock import invoke
from trivium.wire.messages import hosted
from trivium.wire.operation import Shape

GOAL = target(StateOrigin("generate", "p", "main"), "m")


def _spoken(words, kind, n):
    from growth.rows import spoken_of

    return spoken_of(words, kind, n)


def over_conversations():
    """Passes over a conversation that has been read, each over what it looks at."""
    of = {
        "chat one_role": tokens,
        "chat calls": lambda spoken: [*calls(spoken.turns)],
        "chat tools": tokens,
        "chat marked_texts": lambda spoken: (is_marked(spoken), [*marks(spoken)]),
        "chat pictures": lambda spoken: (wanted(spoken, GOAL), kinds_of(spoken), inlined(spoken, {url: Inline("image/png", asked.PNG) for url in wanted(spoken, GOAL)})),
        "chat long_tools": lambda spoken: shortened(spoken, target(StateOrigin("messages", "p", "main"), "m", tool_name_max=20)),
        "messages citations": tokens,
        "messages document_of_blocks": lambda spoken: (tokens(spoken), inlined(spoken, {})),
        "responses namespaces": lambda spoken: [short(qualified(f"t{at}", f"n{at}"), 20) for at in (0, 1)],
    }  # fmt: skip
    found = {}
    for name, work in of.items():
        words, kind = name.split()

        def make(n, words=words, kind=kind, work=work):
            spoken = _spoken(words, kind, n)
            return (lambda: work(spoken)) if spoken is not None else (lambda: None)

        found[f"conversation {name}"] = make

    def traced(n):
        spoken = _spoken("chat", "calls", n)
        names = {one.id: f"call_tvm{at:024x}" for at, one in enumerate(calls(spoken.turns))}
        turns = tuple(
            msgspec.structs.replace(turn, parts=tuple(
                msgspec.structs.replace(part, id=names[part.id]) if type(part) is ToolCall else part for part in turn.parts
            )) for turn in spoken.turns
        )  # fmt: skip
        spoken = msgspec.structs.replace(spoken, turns=turns)
        traces = {
            id_: SignatureTrace(canonical.MADE, (), (), canonical.STATE)
            for id_ in list(names.values())[::2]
        }
        return lambda: retraced(spoken, traces)

    def bare(n):
        spoken = _spoken("messages", "alternating", 4)
        ids = [f"call_tvm{at:024x}" for at in range(n)]
        said = [Reasoning(f"thought {at}") for at in range(n)]
        turns = tuple(
            Turn(Role.ASSISTANT, (part,))
            for one, id_ in zip(said, ids, strict=True)
            for part in (one, ToolCall(id_, "t", "{}"))
        )
        spoken = msgspec.structs.replace(spoken, turns=turns)
        traces = {
            id_: SignatureTrace(
                canonical.MADE, (msgspec.structs.replace(one, opaque=canonical.STATE),)
            )
            for one, id_ in zip(said, ids, strict=True)
        }
        return lambda: retraced(spoken, traces)

    found["conversation retraced"] = traced
    found["conversation retraced where bare words stand"] = bare
    return found


def over_answers():
    """Passes over events and whole answers on their way to the caller."""
    tools = (CustomTool("t"),)
    stop = "ab" * (CHARACTERS_MAX // 8)

    def cutting(events):
        cutter = Cutter((stop, "xyz"), 9)
        for at in range(0, len(events), 200):
            cutter.events(events[at : at + 200])

    def rounds(events):
        spoken = _spoken("messages", "alternating", 4)
        made = Rounds(spoken, Shape.MESSAGES, lambda _: b"{}")
        made.events(events)
        made.more()

    of_events = {
        "assembled": assembled,
        "spelled": spelled,
        "serial": lambda events: SequentialParts().feed(events),
        "customs": lambda events: Customs(tools).events(events),
        "cutter": cutting,
        "tracer": lambda events: Tracer("s", lambda *_: None).events(events),
        "restored": lambda events: restored_events(events, {"t": "long"}),
        "rounds": rounds,
        "muted": lambda events: ReasoningRemover().events(events),
    }
    of_answers = {
        "replayed": replayed,
        "customs": lambda answer: Customs(tools).answer(answer),
        "cut": lambda answer: cut(answer, (stop, "xyz")),
        "tracer": lambda answer: Tracer("s", lambda *_: None).answer(answer),
        "restored": lambda answer: restored(answer, {"t": "long"}),
        "muted": muted,
    }
    found = {}
    for name, work in of_events.items():
        for kind in canonical.event_kinds():

            def make(n, kind=kind, work=work):
                events = canonical.events(kind, n)
                return lambda: work(events)

            found[f"events {kind} {name}"] = make
    for name, work in of_answers.items():
        for kind in canonical.answer_kinds():

            def make(n, kind=kind, work=work):
                answer = canonical.answer(kind, n)
                return lambda: work(answer)

            found[f"answer {kind} {name}"] = make
    found["answer paused again and again"] = _paused
    found["events of a pause"] = _pause
    found["text cut at a sequence that nearly comes"] = _nearly
    found["text cut with what is said of it"] = _cut_text
    found["parts cut while all are open"] = _cut_open
    return found


def _paused(n):
    said = msgspec.structs.replace(canonical.answer("texts", n))
    one = msgspec.structs.replace(said.candidates[0], finish=Finish(Unified.PAUSED))
    said = msgspec.structs.replace(said, candidates=(one,))
    spoken = _spoken("messages", "alternating", 4)

    def work():
        rounds = Rounds(spoken, Shape.MESSAGES, lambda _: b"{}")
        for _ in range(3):
            try:
                rounds.whole(said)
            except Exception:
                continue

    return work


def _pause(n):
    events = [
        Finished(Finish(Unified.PAUSED), event.candidate) if type(event) is Finished else event
        for event in canonical.events("texts", n)
    ]
    spoken = _spoken("messages", "alternating", 4)

    def work():
        rounds = Rounds(spoken, Shape.MESSAGES, lambda _: b"{}")
        rounds.events(events)
        assert rounds.more() is not None

    return work


def _nearly(n):
    rows = [PartStart(0, Text("")), *[Delta(0, "a" * 64)] * (n // 8), PartEnd(0)]
    stop = "a" * (CHARACTERS_MAX - 1) + "b"
    return lambda: Cutter((stop,), 9).events(rows)


def _cut_text(n):
    said = Text("a" * n + "xyz", (canonical.CITED,) * n, logprobs=(canonical.LIKELY,) * n)
    whole = canonical.answer("texts", 3)
    one = msgspec.structs.replace(whole.candidates[0], parts=(said,))
    whole = msgspec.structs.replace(whole, candidates=(one,))
    return lambda: cut(whole, ("xyz",))


def _cut_open(n):
    calls_ = [PartStart(at, ToolCall(f"c{at}", "t", "")) for at in range(n)]
    rows = [*calls_, PartStart(n, Text("")), Delta(n, "xyz")]
    return lambda: Cutter(("xyz",), 9).events(rows)


def hosted_body(data):
    body = peek.members(data)
    hosting = invoke.read(body, {})
    own = body.splice(hosted.unhosted("m", stream=True))
    BEDROCK_MESSAGES.wrapped(own, hosting)
