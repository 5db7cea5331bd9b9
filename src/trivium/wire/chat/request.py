"""What a chat request says about itself, and what is replaced on its way.

Source: OpenAI's API reference and openai-python 3.52.0, read 2026-11-21; limits on names and
required members from the service specification.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import msgspec

from trivium.wire import openai_shapes
from trivium.wire.chat.request_structs import Choice, Format, Message, Named, RequestCall, Tool
from trivium.wire.chat.stream import watch
from trivium.wire.checks import check, missing, mistyped, wrong
from trivium.wire.passage import AnswerFacts, PassThroughSpec, RequestFacts
from trivium.wire.peek import Members

_messages: Final = msgspec.json.Decoder(list[Message])
_tools: Final = msgspec.json.Decoder(list[Tool])
_functions: Final = msgspec.json.Decoder(list[Named])
_named: Final = msgspec.json.Decoder(Named)
_choice: Final = msgspec.json.Decoder(Choice)
_format: Final = msgspec.json.Decoder(Format)


def facts(body: Members) -> RequestFacts:
    """Read and check a chat request. Raises ``Fault`` naming the member."""
    model = body.needed("model")
    # a long request that is known to be words alone is neither copied nor searched again
    words = body.words
    said = None if words else body.raw("messages")
    # agents send bodies and blocks of other shapes on this route (BerriAI/litellm#34029)
    foreign = not words and said is None and body.raw("input") is not None
    # HOT: what is absent costs one look, and most is, but another spelling: 1.1 -> 0.8 us
    # (2026-11-24, bench/hot.py --case facts.chat.short)
    there = _READ if body.folded else body.table
    if not foreign:
        foreign = not words and _check_messages(said)
        if not _LIMITED.isdisjoint(there):
            foreign = _check_limited(body) or foreign
    limit = body.integer("max_output_tokens", 1) if said is None and not words else None
    choices = (body.integer("n", 1) if "n" in there else None) or 1
    newer = body.integer("max_completion_tokens", 1) if "max_completion_tokens" in there else None
    older = body.integer("max_tokens", 1) if "max_tokens" in there else None
    limit = newer or older or limit
    return RequestFacts(
        model=model,
        stream="stream" in there and body.flag("stream"),
        output_max=None if limit is None else limit * choices,
        choices=choices,
        usage_wanted="stream_options" in there and openai_shapes.usage_wanted(body),
        foreign=foreign,
    )


_LIMITED: Final = frozenset(
    {"tools", "tool_choice", "response_format", "functions", "function_call"}
)
"""Members whose content the specification limits. Most requests have none of them."""
_READ: Final = _LIMITED | {"n", "max_completion_tokens", "max_tokens", "stream", "stream_options"}


def _check_limited(body: Members) -> bool:
    """Check them, and say whether tools are declared in another shape's words."""
    flat = False
    if (raw := body.raw("tools")) is not None:
        flat = _check_tools(raw)
    if (raw := body.raw("tool_choice")) is not None and not raw.startswith(b'"'):
        _check_choice(raw)
    if (raw := body.raw("response_format")) is not None:
        check(_format, raw, "response_format")
    if (raw := body.raw("functions")) is not None:
        check(_functions, raw, "functions")
    if (raw := body.raw("function_call")) is not None and not raw.startswith(b'"'):
        check(_named, raw, "function_call")
    return flat


def changes(
    body: Members, facts: RequestFacts, upstream_model: str, ask_usage: bool
) -> Mapping[str, bytes | None]:
    """The upstream's model name, and the request for usage where the caller did not ask."""
    out = openai_shapes.renamed(body, facts, upstream_model)
    if ask_usage and facts.stream:
        out.update(openai_shapes.asking(body, facts))
    return out


def _check_messages(raw: bytes | None) -> bool:
    """Check them; whether calls or results stand in the content, as in the messages shape."""
    if raw is None:
        raise missing("messages")
    if not raw.startswith(b"["):
        raise mistyped("messages", "be an array")
    if raw == b"[]":
        raise wrong("messages", "have at least one message")
    # HOT: one search for how all of them begin: 1.8 -> 1.0 us for 4 KB
    # (2026-11-24, bench/hot.py --case facts.chat.words)
    if raw.rfind(b'"tool_') < 0:
        return False
    if raw.rfind(b'"tool_calls"') >= 0:
        for i, message in enumerate(check(_messages, raw, "messages")):
            for j, call in enumerate(message.tool_calls or ()):
                _check_member(call, f"messages[{i}].tool_calls[{j}]")
    return _has_blocks(raw)


def _has_blocks(messages: bytes) -> bool:
    """Whether calls or results stand in the content, as in the messages shape."""
    if messages.rfind(b'"tool_use"') < 0 and messages.rfind(b'"tool_result"') < 0:
        return False
    return _BLOCKS.search(messages) is not None


_BLOCKS: Final = re.compile(rb'"type"\s*:\s*"tool_(?:use|result)"')


def _check_tools(raw: bytes) -> bool:
    flat = False
    for i, tool in enumerate(check(_tools, raw, "tools")):
        if tool.name is not None and tool.function is None and tool.custom is None:
            flat = True
        else:
            _check_member(tool, f"tools[{i}]")
    return flat


def _check_choice(raw: bytes) -> None:
    choice = check(_choice, raw, "tool_choice")
    _check_member(choice, "tool_choice")
    if choice.type == "allowed_tools" and choice.allowed_tools is None:
        raise missing("tool_choice.allowed_tools")


def _check_member(value: RequestCall | Tool | Choice, path: str) -> None:
    """A thing of type function or custom must have the member its type names."""
    if value.type == "function" and value.function is None:
        raise missing(f"{path}.function")
    if value.type == "custom" and value.custom is None:
        raise missing(f"{path}.custom")


answer: Final[Callable[[bytes], AnswerFacts]] = partial(openai_shapes.answer, content="choices")
"""Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content."""
PASSAGE: Final[PassThroughSpec] = PassThroughSpec(
    facts=facts, changes=changes, answer=answer, watch=watch
)
