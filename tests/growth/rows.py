"""What grows: every job of every codec and passage, found by walking their registries.

A row is a name and a function of n that makes the work to be measured. Whatever shape, operation or
job has no input here is a row's lack, which ``test_growth.py`` finds.
"""

import functools

from growth import asked, canonical, streams, told
from growth.asked_seldom import KEYS, SEAL, USER_ID
from trivium.conversation.answer_losses import LossReporter
from trivium.conversation.events import Done, Finished, PartEnd
from trivium.conversation.fit import fitted
from trivium.conversation.losses import Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.request import Conversation
from trivium.conversation.target import OwnFields, ReasoningBack, Thinks, target
from trivium.faults import Fault
from trivium.wire import peek
from trivium.wire.codec import AnswerContext, ReadContext, WriteContext
from trivium.wire.codecs import CODECS
from trivium.wire.completions.codec import CODEC as COMPLETIONS
from trivium.wire.envelope import opener
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts
from trivium.wire.registry import PASSAGES

OPEN = opener(KEYS, USER_ID)
CALLERS = {**CODECS, COMPLETIONS.shape: COMPLETIONS}
PIECE_BYTES = 16_384
"""What one read of an upstream brings."""
SHORT_BYTES = 150
"""Enough for a stream to lack its end."""

WORDS = {
    Operation.CHAT: "chat",
    Operation.RESPONSES: "responses",
    Operation.RESPONSES_COUNT: "responses",
    Operation.COMPLETIONS: "completions",
    Operation.EMBEDDINGS: "embeddings",
    Operation.MODERATIONS: "moderations",
    Operation.RERANK: "rerank",
    Operation.SPEECH: "speech",
    Operation.TRANSCRIPTIONS: "transcripts",
    Operation.TRANSLATIONS: "transcripts",
    Operation.IMAGES: "pictures",
    Operation.IMAGES_EDIT: "pictures",
    Operation.IMAGES_VARY: "pictures",
    Operation.MESSAGES: "messages",
    Operation.MESSAGES_COUNT: "messages",
    Operation.GENERATE: "generate",
    Operation.GENERATE_STREAM: "generate",
    Operation.GENERATE_COUNT: "generate",
    Operation.CONVERSE: "converse",
    Operation.CONVERSE_STREAM: "converse",
    Operation.CONVERSE_COUNT: "counted_converse",
    Operation.GENERATE_EMBED: "embedded",
    Operation.GENERATE_EMBED_BATCH: "embedded",
    Operation.COHERE_CHAT: "cohere",
    Operation.COHERE_EMBED: "cohere_texts",
    Operation.INVOKE_EMBED: "cohere_texts",
}
"""By operation, the words its requests are written in."""


def settled(work):
    """The work, a fault being an answer like any other."""

    def run():
        try:
            return work()
        except Fault as fault:
            return fault

    return run


@functools.lru_cache(maxsize=2)
def spoken_of(words, kind, n):
    """A request's conversation, read once for all that is done with it; ``None``: refused."""
    try:
        return conversation(words, asked.body(words, kind, n))
    except Fault:
        return None


def conversation(words, data):
    """A request, read. Raises ``Fault``."""
    shape = next(shape for shape in CALLERS if shape.value == words)
    path = {"model": "m", "stream": True} if words in ("generate", "converse") else {}
    members = peek.members(data).table
    return CALLERS[shape].read_request(members, ReadContext(open=OPEN, **path))


def reading(words, kind):
    """A caller's request, read."""

    def make(n):
        data = asked.body(words, kind, n)
        return settled(lambda: conversation(words, data))

    return make


def writing(words, kind, codec, **facts):
    """The same, fitted to a target and written for it."""

    def make(n):
        spoken = spoken_of(words, kind, n)
        if spoken is None:
            return lambda: None
        goal = target(StateOrigin(codec.shape.value, "p", "main"), "m", **_TAKES_ALL, **facts)

        def work():
            report = Report(goal.title)
            said = fitted(spoken, goal, report)
            codec.write_request(said, goal, report)
            report.dropped_header(), report.repaired_header(), report.dropped_names()

        return settled(work)

    return make


_TAKES_ALL = {"cache_marks": 1_000_000}


def passing(operation, kind):
    """What the pass-through lane does to a request."""
    passage = PASSAGES[operation]

    def make(n):
        data = asked.body(WORDS[operation], kind, n)

        def work():
            members = peek.members(data)
            facts = passage.facts(members)
            members.splice(passage.changes(members, facts, "other", True))

        return settled(work)

    return make


def answering(codec, kind):
    """A vendor's whole answer, read."""

    def make(n):
        data = told.body(codec.shape.value, kind, n)
        return settled(lambda: codec.read_answer(data, reading_context(codec)))

    return make


def passing_answer(operation, kind):
    """A vendor's whole answer, as the pass-through lane looks at it."""
    words = told.words(operation)

    def make(n):
        data = told.body(words, kind, n)
        return settled(lambda: PASSAGES[operation].answer(data))

    return make


def hearing(codec, kind, *, piece=PIECE_BYTES):
    """A vendor's stream, read, and asked after each read how far it is, as the pipeline does."""

    def make(n):
        reads = cut(streams.wire(codec.shape.value, kind, n), piece)

        def work():
            reader = codec.read_stream(reading_context(codec))
            for data in reads:
                reader.feed(data)
                reader.usage, reader.stopped  # noqa: B018 - properties that may work
            reader.end(None)

        return settled(work)

    return make


def watching(operation, kind, *, piece=PIECE_BYTES, array=False, short=0):
    """A vendor's stream, as the pass-through lane watches it; ``short`` of so many last bytes, for
    a caller who wants the usage.
    """
    words = "array" if array else told.words(operation)

    def make(n):
        data = streams.wire(words, kind, n)
        reads = cut(data[: len(data) - short], piece)
        facts = RequestFacts(model="m", stream=True, array=array, usage_wanted=short > 0)

        def work():
            watch = PASSAGES[operation].watch(facts)
            for data in reads:
                watch.feed(data)
                watch.usage, watch.stopped  # noqa: B018 - properties that may work
            watch.end(None, "req_7")

        return settled(work)

    return make


def showing(codec, kind):
    """A whole answer, looked for places and written for a caller."""

    def make(n):
        answer, context = canonical.answer(kind, n), writing_context(codec)

        def work():
            LossReporter(codec.places, Report("t")).answer(answer)
            codec.write_answer(answer, context)

        return settled(work)

    return make


def telling(codec, kind, *, events=200, short=False):
    """The events of a stream, looked for places and written for a caller; ``short``: without end."""

    def make(n):
        rows, context = canonical.events(kind, n), writing_context(codec)
        if short:
            rows = [one for one in rows if not isinstance(one, PartEnd | Finished | Done)]
        # the last event comes after a count, which asks for what is held until then
        rows, last = (rows[:-1], rows[-1:]) if type(rows[-1]) is Done else (rows, [])
        reads = [rows[at : at + events] for at in range(0, len(rows), events)]

        def work():
            placing = LossReporter(codec.places, Report("t"))
            writer = codec.write_stream(context)
            for read in reads:
                placing.events(read)
                writer.feed(read)
            writer.unsaid()
            writer.feed(last)
            writer.end(None)

        return settled(work)

    return make


def cut(data, size):
    """A stream in reads of this size."""
    return [data[at : at + size] for at in range(0, len(data), size)]


def reading_context(codec):
    return AnswerContext(
        origin=StateOrigin(codec.shape.value, "p", "main"), model="m", seed="a", think_tags=True
    )


def writing_context(codec):
    spoken = Conversation(shape=codec.shape.value, model="m", stream=True)
    return WriteContext(
        request=spoken,
        id="a",
        created=0,
        model="m",
        request_id="req_7",
        seal=SEAL,
        usage_wanted=True,
    )


def _requests():
    for shape in CALLERS:
        words = shape.value
        for kind in asked.kinds(words):
            yield f"read {words} {kind}", reading(words, kind)
            for codec in CODECS.values():
                yield f"write {words} {kind} as {codec.shape.value}", writing(words, kind, codec)
                if "schema" in kind or "parameters" in kind:
                    name = f"write {words} {kind} as plain {codec.shape.value}"
                    yield name, writing(words, kind, codec, schema_full=False)
                if "think" in kind:
                    name = f"write {words} {kind} as budgeted {codec.shape.value}"
                    known = {"thinks": Thinks.BUDGET, "own_fields": OwnFields.CLAUDE}
                    yield name, writing(words, kind, codec, **known)
                if "thought" in kind:
                    name = f"write {words} {kind} as worded {codec.shape.value}"
                    yield name, writing(words, kind, codec, reasoning_back=ReasoningBack.TEXT)
    for operation in PASSAGES:
        for kind in asked.kinds(WORDS[operation]):
            yield f"pass {operation.value} {kind}", passing(operation, kind)


def _answers():
    for codec in CODECS.values():
        words = codec.shape.value
        for kind in told.whole_kinds(words):
            yield f"read answer {words} {kind}", answering(codec, kind)
        for kind in streams.kinds(words):
            yield f"read stream {words} {kind}", hearing(codec, kind)
            yield f"read stream {words} {kind} at once", hearing(codec, kind, piece=1 << 40)
    for codec in CALLERS.values():
        words = codec.shape.value
        for kind in canonical.answer_kinds():
            yield f"write answer {words} {kind}", showing(codec, kind)
        for kind in canonical.event_kinds():
            yield f"write stream {words} {kind}", telling(codec, kind)
            yield f"write stream {words} {kind} at once", telling(codec, kind, events=1 << 40)
        for kind in ("candidates", "calls_all_open", "thoughts_all_open"):
            yield f"write stream {words} {kind} cut short", telling(codec, kind, short=True)
    for operation, passage in PASSAGES.items():
        words = told.words(operation)
        for kind in told.whole_kinds(words):
            yield f"pass answer {operation.value} {kind}", passing_answer(operation, kind)
        if passage.watch is not None:
            for kind in streams.kinds(words):
                yield f"watch {operation.value} {kind}", watching(operation, kind)
                yield (
                    f"watch {operation.value} {kind} cut short",
                    watching(operation, kind, short=SHORT_BYTES),
                )
    for kind in streams.kinds("array"):
        for name, size in ("", PIECE_BYTES), (" in pieces", PIECE_BYTES // 100):
            yield (
                f"watch array {kind}{name}",
                watching(Operation.GENERATE_STREAM, kind, array=True, piece=size),
            )


def rows():
    """Every row by its name."""
    from growth.media import media
    from growth.passes import passes

    found = dict(_requests()) | dict(_answers())
    between = passes() | media()
    return found | {f"pass over {name}": make for name, make in between.items()}
