"""A completions request as a conversation: one prompt is one turn of the user.

The members that both shapes have are read as chat reads them. What only a completion can have and
what its caller's code depends on is refused here, before any target is known: no conversation shape
has it. Source: OpenAI's API reference, completions, read 2026-11-21.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.losses import Rank
from trivium.conversation.request import Conversation, Extension
from trivium.faults import Fault
from trivium.wire.chat.read_request import read as read_chat
from trivium.wire.chat.read_values import wrong_type
from trivium.wire.checks import missing, uncarried, wrong
from trivium.wire.codec import ReadContext
from trivium.wire.peek import decode

SHAPE: Final = "completions"
LOGPROBS_MAX: Final = 5
BEST_OF_MAX: Final = 20

_encode: Final = msgspec.json.Encoder().encode

_SHARED: Final = frozenset(
    {"model", "stream", "stream_options", "max_tokens", "n", "stop", "user"}
    | {"temperature", "top_p", "frequency_penalty", "presence_penalty", "seed", "logit_bias"}
    | {"metadata", "safety_identifier", "prompt_cache_key", "service_tier"}
    | {"reasoning_effort", "response_format"}
)
"""Members that mean the same on the chat shape; the last six are servers' own additions here."""
_OWN: Final = frozenset({"prompt", "best_of", "echo", "logprobs", "suffix"})


def read(members: Mapping[str, msgspec.Raw], context: ReadContext) -> Conversation:
    """Read a completions request.

    Raises ``Fault`` naming the member; UNREPRESENTABLE for what no conversation can carry: token
    ids, several prompts, no prompt, ``suffix``, ``best_of`` above ``n``, a ``max_tokens`` of 0 and
    probabilities of an echoed prompt.
    """
    values = {name: decode(bytes(members[name]), name) for name in _OWN if name in members}
    prompt = _prompt(values.get("prompt"), members)
    passed = {name: raw for name, raw in members.items() if name in _SHARED}
    if _is_zero(passed.get("max_tokens")):
        raise _cannot("max_tokens", "a conversation cannot be asked for no answer")
    passed["messages"] = msgspec.Raw(_encode([{"role": "user", "content": prompt}]))
    logprobs = _logprobs(values.get("logprobs"))
    if logprobs is not None:
        passed["logprobs"] = msgspec.Raw(b"true")
        passed["top_logprobs"] = msgspec.Raw(b"%d" % logprobs)
    found = read_chat(passed, context)
    _best_of(values.get("best_of"), found)
    if _flag(values.get("echo"), "echo") and logprobs is not None:
        raise _cannot("echo", "a conversation tells no probabilities of its prompt")
    suffix = values.get("suffix")
    if suffix is not None and not isinstance(suffix, str):
        raise wrong_type("suffix", "a string", suffix)
    if suffix:
        raise _cannot("suffix", "a conversation goes on at its end only")
    return msgspec.structs.replace(
        found,
        shape=SHAPE,
        extensions=tuple(
            Extension(name, bytes(raw), Rank.HINT)
            for name, raw in members.items()
            if name not in _SHARED and name not in _OWN and bytes(raw) != b"null"
        ),
    )


def echoed(context_members: Mapping[str, msgspec.Raw]) -> bool:
    """Whether a request that was read asks for its prompt before the answer."""
    raw = context_members.get("echo")
    return raw is not None and bytes(raw) == b"true"


def _prompt(value: Any, members: Mapping[str, msgspec.Raw]) -> str:
    if isinstance(value, list):
        if not value:
            raise wrong("prompt", "not be an empty array")
        if any(not isinstance(one, str) for one in value):
            _check_tokens(value)
            raise _cannot("prompt", "token ids mean something to one model only: send text")
        if len(value) > 1:
            raise _cannot("prompt", f"{len(value)} prompts are as many conversations: send one")
        value = value[0]
    if value is None:
        if "prompt" not in members:
            raise missing("prompt")
        raise _cannot("prompt", "a conversation begins with a text, not with null")
    if not isinstance(value, str):
        raise wrong_type("prompt", "a string or an array", value)
    if not value:
        raise _cannot("prompt", "a conversation does not begin with an empty text")
    return value


def _check_tokens(value: list[Any]) -> None:
    """Raise INVALID_TYPE unless it is one prompt of token ids, or several."""
    for at, one in enumerate(value):
        whole = isinstance(one, int) and not isinstance(one, bool)
        if not whole and not isinstance(one, list | str):
            raise wrong_type(f"prompt[{at}]", "a string, a token id or an array of token ids", one)


def _is_zero(raw: msgspec.Raw | None) -> bool:
    return (
        raw is not None and decode(bytes(raw), "max_tokens") in (0, 0.0) and bytes(raw) != b"false"
    )


def _logprobs(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type("logprobs", "an integer", value)
    if not 0 <= value <= LOGPROBS_MAX:
        raise wrong("logprobs", f"be between 0 and {LOGPROBS_MAX}")
    return value


def _best_of(value: Any, found: Conversation) -> None:
    """``best_of`` picks among answers by their probabilities, which only the server knows."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type("best_of", "an integer", value)
    if not 0 <= value <= BEST_OF_MAX:
        raise wrong("best_of", f"be between 0 and {BEST_OF_MAX}")
    answers = found.candidates or 1
    if 0 < value < answers:
        raise wrong("best_of", "be at least `n`")
    if value > answers:
        raise _cannot("best_of", "a conversation gives as many answers as it makes: use `n`")


def _flag(value: Any, name: str) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    raise wrong_type(name, "true or false", value)


def _cannot(name: str, reason: str) -> Fault:
    why = f"cannot be carried to a model that takes conversations: {reason}"
    return uncarried(name, f"{name} {why}.")
