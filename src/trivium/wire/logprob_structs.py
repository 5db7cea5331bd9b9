"""Probabilities of tokens, in the shapes that spell out their bytes."""

import msgspec


class Rival(msgspec.Struct, gc=False):
    """A token that could have stood there, to be written."""

    token: str
    logprob: float
    bytes: tuple[int, ...]


class Chosen(Rival, gc=False):
    """The token that stands there, to be written."""

    top_logprobs: list[Rival]


class TokenEntry(msgspec.Struct, gc=False):
    """A token as it is read."""

    token: str = ""
    logprob: float = 0.0
    bytes: list[int] | None = None
    top_logprobs: "list[TokenEntry] | None" = None
