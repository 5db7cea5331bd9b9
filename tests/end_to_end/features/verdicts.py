"""What becomes of one feature between two shapes: through the codecs, there and read again."""

import dataclasses
import json

import msgspec

from end_to_end.features import rules, streams
from end_to_end.features.asking import WRITTEN, said
from end_to_end.features.canonical import differences, of_answer, of_request
from end_to_end.features.conversing import hello
from trivium.conversation.answer_losses import LossReporter
from trivium.conversation.assemble import Assembler
from trivium.conversation.fit import fitted
from trivium.conversation.losses import Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.target import target
from trivium.faults import Fault, Kind
from trivium.providers.failure import error_event
from trivium.providers.profiles import profile
from trivium.secret import Keyring
from trivium.wire.codec import AnswerContext, ReadContext, WriteContext
from trivium.wire.codecs import CODECS
from trivium.wire.envelope import sealer
from trivium.wire.operation import Operation, Shape
from trivium.wire.peek import members
from trivium.wire.registry import PASSAGES

KEYS = Keyring(b"k" * 32)
USER = 3
LOSSLESS, REPORTED, REFUSED, LOST = "lossless", "reported", "refused", "LOST"
NO_WORDS = "·"
"""The caller's shape has no words for the feature, or the upstream's never answers so."""
PROVIDER = {
    "chat": "openai",
    "responses": "openai",
    "messages": "anthropic",
    "generate": "gemini",
    "converse": "bedrock",
    "cohere": "cohere",
}


GREETING = {shape: said(shape, ("user", "Hello")) for shape in WRITTEN} | {"converse": hello()}


@dataclasses.dataclass(frozen=True)
class Cell:
    """One verdict."""

    word: str
    why: str = ""
    """What was reported, refused or lost."""
    differs: bool = False
    """Answers: whether the caller's means something else."""


def origin(shape):
    """A channel of this shape."""
    return StateOrigin(shape, PROVIDER[shape], "main")


def conversation(shape, body, **context):
    """The canonical conversation of a body."""
    if shape in ("generate", "converse"):
        context = {"model": "m", "stream": False} | context
    read = CODECS[Shape(shape)].read_request
    raws = dict(members(msgspec.json.encode(body)).pairs)
    return read(raws, ReadContext(**context))


def written(spoken, upstream, *, strict=False, at=None, model="m"):
    """Body for an upstream (a channel ``at`` it), and the report. Raises ``Fault``."""
    known = profile(upstream, PROVIDER[upstream], model)
    goal = target(at or origin(upstream), "m", **known)
    report = Report(goal.title, strict=strict)
    data = CODECS[Shape(upstream)].write_request(fitted(spoken, goal, report), goal, report)
    return json.loads(data), report


def of_asking(case, caller, upstream, model="m"):
    """The verdict on one feature of requests."""
    body = case.bodies.get(caller)
    if body is None:
        return Cell(NO_WORDS)
    if caller == upstream:
        return _passed(caller, body)
    spoken = conversation(caller, body)
    try:
        data, report = written(spoken, upstream, model=model)
    except Fault as fault:
        if fault.kind is Kind.UNREPRESENTABLE and fault.param and "shape" in fault.message:
            return Cell(REFUSED, fault.param)
        raise
    rules.check(upstream, data)
    again = conversation(upstream, data)
    found = differences(of_request(spoken), of_request(again))
    told = [drop.member for drop in report.drops]
    told += [f"{repair.what.value} at {repair.where}" for repair in report.repairs]
    told += report.kept
    found = [row for row in found if not row.startswith(case.same.get(upstream, "\0"))]
    silent = [row for row in found if not (told and row.startswith(case.allowed or "\0"))]
    text = json.dumps(data, ensure_ascii=False)
    for words in case.kept:
        spellings = (words,) if isinstance(words, str) else words
        silent += [] if any(one in text for one in spellings) else [f"{words!r} is gone"]
    if silent:
        return Cell(LOST, "; ".join(silent))
    return Cell(REPORTED, ", ".join(told)) if told else Cell(LOSSLESS)


def operation(shape):
    """The operation of a conversation in this shape."""
    return Operation.COHERE_CHAT if shape == "cohere" else Operation(shape)


def _passed(shape, body):
    """The same shape is relayed: only the model's name is another."""
    passage = PASSAGES[operation(shape)]
    found = members(msgspec.json.encode(body))
    changes = passage.changes(found, passage.facts(found), "m", True)
    relayed = json.loads(found.splice(changes))
    lost = differences(body, relayed)
    return Cell(LOST, "; ".join(lost)) if lost else Cell(LOSSLESS)


def writing(caller, asked=None):
    """What a writer of answers is told of this request, or of a greeting."""
    return WriteContext(
        request=conversation(caller, asked or GREETING[caller]),
        id="a1",
        created=1795219200,
        model="m",
        request_id="req_a1",
        usage_wanted=True,
        seal=sealer(KEYS, USER),
    )


def reading(upstream):
    """What a reader of answers is told."""
    return AnswerContext(origin=origin(upstream), model="m", refused=error_event)


def told_whole(upstream, caller, body):
    """The answer that an upstream gave and the one its caller reads."""
    answer = CODECS[Shape(upstream)].read_answer(msgspec.json.encode(body), reading(upstream))
    out = CODECS[Shape(caller)].write_answer(answer, writing(caller))
    return answer, CODECS[Shape(caller)].read_answer(excused(caller, out), reading(caller))


def excused(caller, out):
    """What a caller is told, without the word that makes a failure of it where Cohere says so.

    It is that shape's one word for what is not complete; a client reads what was said all the same.
    """
    if caller != "cohere":
        return out
    return out.replace(b'"finish_reason":"ERROR"', b'"finish_reason":"INCOMPLETE"')


def heard(upstream, wire):
    """A stream as a reader hears it: the assembler with all of it."""
    reader = CODECS[Shape(upstream)].read_stream(reading(upstream))
    heard = Assembler()
    heard.feed(reader.feed(wire))
    heard.feed(reader.end(None))
    return heard


def retold(upstream, caller, wire):
    """An upstream's stream as the caller's frames."""
    reader = CODECS[Shape(upstream)].read_stream(reading(upstream))
    writer = CODECS[Shape(caller)].write_stream(writing(caller))
    return writer.feed(reader.feed(wire) + reader.end(None)) + writer.end(None)


def told_streamed(upstream, caller, body):
    """The same of the answer's stream."""
    wire = streams.stream(upstream, body)
    told = excused(caller, retold(upstream, caller, wire))
    given, got = heard(upstream, wire), heard(caller, told)
    for one in (given, got):
        assert one.fault is None, one.fault
    return given.answer(), got.answer()


def missed_whole(upstream, caller, body):
    """Names of what the lane reports of a whole answer."""
    report = Report("the upstream", strict=True)
    answer = CODECS[Shape(upstream)].read_answer(msgspec.json.encode(body), reading(upstream))
    LossReporter(CODECS[Shape(caller)].places, report).answer(answer)
    return report.dropped_names()


def missed_streamed(upstream, caller, body):
    """The same of the answer's stream."""
    report = Report("the upstream", strict=True)
    reader = CODECS[Shape(upstream)].read_stream(reading(upstream))
    events = reader.feed(streams.stream(upstream, body)) + reader.end(None)
    LossReporter(CODECS[Shape(caller)].places, report).events(events)
    return report.dropped_names()


def of_telling(case, upstream, caller):
    """The verdict on one feature of answers, whole and streamed."""
    body = case.bodies.get(upstream)
    if body is None:
        return Cell(NO_WORDS)
    if caller == upstream:
        return Cell(LOSSLESS)
    reports, differ = [], False
    places = case.placeless.get(caller, ())
    for tell, miss in ((told_whole, missed_whole), (told_streamed, missed_streamed)):
        given, got = (of_answer(one) for one in tell(upstream, caller, body))
        report = miss(upstream, caller, body)
        found = differences(given, got)
        if case.words_stay and _words(given) != _words(got):
            return Cell(LOST, f"{_words(given)!r} became {_words(got)!r}")
        silent = [row for row in found if not (report and row.startswith(places or "\0"))]
        if silent:
            return Cell(LOST, "; ".join(silent))
        reports.append(report)
        differ = differ or bool(found)
    told = ", ".join(dict.fromkeys(one for one in reports if one))
    return Cell(REPORTED, told, differ) if told else Cell(LOSSLESS)


def _words(answer):
    """What the first candidate says: no shape lacks a place for it."""
    parts = answer["candidates"][0]["parts"]
    return "".join(part["text"] for part in parts if part["kind"] in ("Text", "Refusal"))
