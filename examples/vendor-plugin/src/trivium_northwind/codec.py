"""Northwind's shape: what it is sent, its whole answers, and its streams. Pure.

A request::

    {"engine": "gale-1", "say": [{"who": "user", "text": "Hello"}], "most": 100, "heat": 0.5}

Its answer: ``{"text": "Hi", "end": "done", "used": {"in": 7, "out": 2}}``. A stream is the same in
pieces, each a frame of JSON behind its length in four bytes; the last one has ``end``.
"""

import json
from typing import Any

from trivium.plugin import (
    Answer,
    AnswerContext,
    Candidate,
    Concept,
    Conversation,
    Delta,
    Done,
    Event,
    Failed,
    Fault,
    Finish,
    Finished,
    Frames,
    Kind,
    PartEnd,
    PartStart,
    Report,
    Role,
    Start,
    TargetFacts,
    Text,
    Unified,
    UpstreamCodec,
    Usage,
    UsageReport,
    lacking,
)

_WHO = {Role.SYSTEM: "rules", Role.DEVELOPER: "rules", Role.USER: "user", Role.ASSISTANT: "engine"}
_ENDS = {"done": Unified.STOP, "cut": Unified.LENGTH}


def write_request(asked: Conversation, facts: TargetFacts, report: Report) -> bytes:
    """The body for the vendor. What it has no place for is refused or reported, never lost."""
    say = [{"who": "rules", "text": part.text} for part in asked.instructions]
    for turn in asked.turns:
        for part in turn.parts:
            if isinstance(part, Text):
                say.append({"who": _WHO[turn.role], "text": part.text})
            else:
                lacking(report, Concept.HISTORY, asked.shape, "it takes text only")
    if asked.tools:
        lacking(report, Concept.TOOLS, asked.shape, "it calls no tools")
    if asked.format is not None:
        lacking(report, Concept.FORMAT, asked.shape, "its answers are free text")
    if asked.sampling.top_p is not None:
        lacking(report, Concept.TOP_P, asked.shape, "it has no such setting")
    body: dict[str, Any] = {"engine": facts.model, "say": say}
    if asked.output_max is not None:
        body["most"] = asked.output_max
    if asked.sampling.temperature is not None:
        body["heat"] = asked.sampling.temperature
    return json.dumps(body).encode()


def read_answer(body: bytes, context: AnswerContext) -> Answer:
    """A whole 200 answer. Raises ``Fault`` when it is none."""
    said = _object(body, context)
    finish = _finish(said)
    candidate = Candidate((Text(text=str(said.get("text", ""))),), finish)
    return Answer((candidate,), _usage(said), model=context.model)


class Reader:
    """Reads one stream. See ``StreamReader``."""

    def __init__(self, context: AnswerContext) -> None:
        self._context = context
        self._frames = Frames(bytes_max=1_048_576)
        self._has_begun = self._is_over = False
        self.usage: Usage | None = None
        self.stopped = False

    def feed(self, data: bytes) -> list[Event]:
        """Events of the frames that became whole; nonsense is ``Failed``."""
        out: list[Event] = []
        if self._is_over:
            return out
        try:
            for frame in self._frames.feed(data):
                self._take(_object(frame, self._context), out)
        except ValueError as error:
            return self._fail(_broke(f"Its stream holds {error}."), out)
        except Fault as fault:
            return self._fail(fault, out)
        return out

    def end(self, fault: Fault | None) -> list[Event]:
        """``Failed`` unless all was said."""
        if self._is_over:
            return []
        return self._fail(fault or _broke("Its stream ended in mid-answer."), [])

    def _take(self, said: dict[str, Any], out: list[Event]) -> None:
        if not self._has_begun:
            self._has_begun = True
            out += [Start(model=self._context.model), PartStart(0, Text(text=""))]
        if text := said.get("text"):
            out.append(Delta(0, str(text)))
        if "end" in said:
            self.usage = _usage(said)
            self.stopped = self._is_over = True
            out += [PartEnd(0), Finished(_finish(said))]
            if self.usage is not None:
                out.append(UsageReport(self.usage))
            out.append(Done())

    def _fail(self, fault: Fault, out: list[Event]) -> list[Event]:
        self._is_over = True
        return [*out, Failed(fault)]


def _object(data: bytes, context: AnswerContext) -> dict[str, Any]:
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise _broke("Its answer is no JSON object.")
    if "error" in said:
        raise context.refused(json.dumps(said).encode())
    return said


def _finish(said: dict[str, Any]) -> Finish:
    word = str(said.get("end", ""))
    return Finish(_ENDS.get(word, Unified.OTHER), word)


def _usage(said: dict[str, Any]) -> Usage | None:
    used = said.get("used")
    if not isinstance(used, dict):
        return None
    return Usage(fresh=int(used.get("in", 0)), output=int(used.get("out", 0)))


def _broke(message: str) -> Fault:
    return Fault(Kind.UPSTREAM_BROKE, message)


CODEC = UpstreamCodec(write_request=write_request, read_answer=read_answer, read_stream=Reader)
