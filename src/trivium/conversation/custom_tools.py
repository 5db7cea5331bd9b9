"""Free text out of the arguments of a function that stood for a free-text tool.

A target that knows functions only was told of a function with one string, ``input``; the model
calls that. The caller declared a free-text tool and gets the text, piece by piece as it comes.
"""

import re
from typing import Final

import msgspec

from trivium.conversation.answer import Answer
from trivium.conversation.assemble import each_part
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.events import Delta, Event, PartEnd, PartStart, spelled
from trivium.conversation.items import Part
from trivium.conversation.losses import DropAction, Rank, Report
from trivium.conversation.names import qualified
from trivium.conversation.tools import CustomTool, Tool

INPUT: Final = "input"
"""The one member of such a function's arguments."""
PARAMETERS: Final = msgspec.Raw(
    b'{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}'
)
"""Parameters of such a function."""
CLOSED_PARAMETERS: Final = msgspec.Raw(
    bytes(PARAMETERS).removesuffix(b"}") + b',"additionalProperties":false}'
)
"""The same for vendors whose strict functions allow no other members."""


def in_words(tool: CustomTool, report: Report) -> str | None:
    """The description of the function that stands for a free-text tool, with its grammar.

    A function's one string cannot be held to a grammar: reported as changed.
    """
    if tool.grammar is None:
        return tool.description or None
    report.drop(
        Rank.HINT,
        f"tools.{tool.name}.format",
        "said in words, since the target holds no text to a grammar",
        DropAction.CHANGED,
    )
    rule = f"The input must follow this {tool.grammar.syntax} grammar:"
    return "\n\n".join(one for one in (tool.description, rule, tool.grammar.definition) if one)


_HEAD: Final = re.compile(r'\s{0,32}\{\s{0,32}"input"\s{0,32}:\s{0,32}"')
_HEAD_MAX: Final = 160
"""Longer than any head: what has not begun by then has another form."""
_SPECIAL: Final = re.compile(r'["\\]')
_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])", re.DOTALL)
_ESCAPE_MAX: Final = 6
_HIGH: Final = re.compile(r"\\u[dD][89abAB]")
_LOW: Final = re.compile(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_UNIT: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^u]",
    re.DOTALL,
)


def unwrapped(arguments: str) -> str:
    """Return the text in such arguments, also in broken ones. Arguments of any other form stay as
    they are.
    """
    found = _member(arguments)
    if found is not None:
        return found
    reader = Unwrapper()
    return reader.feed(arguments) + reader.end()


def _member(arguments: str) -> str | None:
    try:
        members = msgspec.json.decode(arguments)
    except (ValueError, RecursionError):
        return None
    found = members.get(INPUT) if isinstance(members, dict) else None
    return found if isinstance(found, str) else None


class Unwrapper:
    """Takes the text out of streamed arguments; what comes out does not depend on the cuts."""

    __slots__ = ("_before", "_begun", "_held", "_over")

    def __init__(self) -> None:
        self._before: list[str] = []
        """All that came, until the text begins."""
        self._begun = False
        self._over = False
        self._held = ""
        """A start that is not yet known for one, later an escape that may be cut."""

    def feed(self, piece: str) -> str:
        """Return the text that this piece made readable, possibly none."""
        if self._over:
            return ""
        if self._begun:
            return self._text(self._held + piece)
        self._before.append(piece)
        if len(self._held) > _HEAD_MAX:
            return ""
        self._held += piece
        head = _HEAD.match(self._held)
        if head is None:
            return ""
        self._begun = True
        return self._text(self._held[head.end() :])

    def end(self) -> str:
        """Return the rest of the text: all of the arguments if they had another form."""
        if self._begun:
            return self._held
        arguments = "".join(self._before)
        found = _member(arguments)
        return arguments if found is None else found

    def _text(self, raw: str) -> str:
        """Return the readable part of the inside of a string. An escape that a cut may have split
        is held back.
        """
        at = 0
        until = len(raw)
        while (special := _SPECIAL.search(raw, at)) is not None:
            at = special.start()
            if special.group() == '"':
                self._over = True
                until = at
                break
            after = _after(raw, at)
            if after is None:
                until = at
                break
            at = after
        self._held = "" if self._over else raw[until:]
        return _decoded(raw[:until])


def _after(raw: str, at: int) -> int | None:
    """Return where the escape at a place ends, with both halves of a pair; ``None``: not known
    yet.
    """
    escape = _ESCAPE.match(raw, at)
    if escape is None:
        # no escape at all is taken for two characters
        return at + 2 if len(raw) - at >= _ESCAPE_MAX else None
    end = escape.end()
    if not _HIGH.match(escape.group()):
        return end
    rest = raw[end : end + _ESCAPE_MAX]
    if _LOW.match(rest):
        return end + _ESCAPE_MAX
    return None if len(rest) < _ESCAPE_MAX and rest[:1] in ("", "\\") else end


def _decoded(inside: str) -> str:
    if "\\" not in inside:
        return inside
    try:
        return msgspec.json.decode(f'"{inside}"', type=str)
    except ValueError:
        # line ends that were not escaped, or escapes that JSON has not: unit by unit
        return _UNIT.sub(_unit, inside)


def _unit(escape: re.Match[str]) -> str:
    try:
        return msgspec.json.decode(f'"{escape.group()}"', type=str)
    except ValueError:
        return escape.group()


class Customs:
    """Gives one answer its calls of free-text tools back, whole or streamed."""

    __slots__ = ("_names", "_open")

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        """``tools`` as the caller declared them."""
        self._names = {
            name
            for tool in tools
            if isinstance(tool, CustomTool)
            for name in (tool.name, qualified(tool.name, tool.namespace))
        }
        self._open: dict[int, Unwrapper] = {}

    def __bool__(self) -> bool:
        """Whether any tool takes free text, so that there is something to do."""
        return bool(self._names)

    def answer(self, answer: Answer) -> Answer:
        """Return a whole answer with its calls of free-text tools as the caller declared them."""
        return each_part(answer, self._part)

    def events(self, events: list[Event]) -> list[Event]:
        """The events of one read; every read of the answer must pass."""
        out: list[Event] = []
        for event in spelled(events):
            if type(event) is Delta and event.index in self._open:
                if text := self._open[event.index].feed(event.text):
                    out.append(Delta(event.index, text))
            elif type(event) is PartStart and self._stands(event.part):
                self._start(event, out)
            elif type(event) is PartEnd and event.index in self._open:
                if text := self._open.pop(event.index).end():
                    out.append(Delta(event.index, text))
                out.append(event)
            else:
                out.append(event)
        return out

    def _start(self, event: PartStart, out: list[Event]) -> None:
        held = self._open[event.index] = Unwrapper()
        text = held.feed(event.part.arguments) if isinstance(event.part, ToolCall) else ""
        part = msgspec.structs.replace(event.part, kind=CallKind.CUSTOM, arguments="")
        out.append(PartStart(event.index, part, event.candidate))
        if text:
            out.append(Delta(event.index, text))

    def _part(self, part: Part) -> Part:
        if not isinstance(part, ToolCall) or not self._stands(part):
            return part
        return msgspec.structs.replace(
            part, kind=CallKind.CUSTOM, arguments=unwrapped(part.arguments)
        )

    def _stands(self, part: Part) -> bool:
        """Whether a part is a call of a function that stood for a free-text tool."""
        return (
            isinstance(part, ToolCall)
            and part.kind is CallKind.FUNCTION
            and part.name in self._names
        )
