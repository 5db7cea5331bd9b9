"""Model profiles: which facts of a model differ from its shape's own, read from ``profiles.toml``.

A row names models by their channel's name, and may name shapes and providers. All rows that match
count; the more specific one wins, fact by fact. Read once, at first use, as the providers' table.
"""

import re
import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import msgspec

_WILD: Final = re.compile(r"[*?]")
_BEGINS: Final = 2
"""Characters of a model's name by which rows are found that may be about it."""
_OF_BEDROCK: Final = re.compile(
    r"(?:(?:apac|ap|au|ca|eu|global|jp|sa|us|us-gov)\.)?"
    r"(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|"
    r"nvidia|openai|qwen|writer|zai)\."
)
"""Regions and maker before a model's name in Amazon Bedrock's ids and inference profiles."""


class ProfileRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table of ``profiles.toml``."""

    models: tuple[str, ...]
    """Names in lower case; ``*`` is any text, ``?`` any one character."""
    facts: Mapping[str, Any]
    """Fields of ``TargetFacts``."""
    source: str
    """The page that says so."""
    read: date
    """The day ``source`` was read."""
    shapes: tuple[str, ...] = ()
    """Empty: all."""
    providers: tuple[str, ...] = ()
    """Empty: all."""
    secondary: bool = False
    """Whether the page is not the vendor's own."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    row: tuple[ProfileRow, ...]


class _Rule(NamedTuple):
    """One name of one row, ready to be asked."""

    rank: tuple[int, int]
    """Written-out characters of the name, then how many of shape and provider are named."""
    name: re.Pattern[str]
    row: ProfileRow


def rows() -> tuple[ProfileRow, ...]:
    """The table as it is written, for those who check or print it."""
    text = files("trivium.providers").joinpath("profiles.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _File).row


def plain(model: str) -> str:
    """A model's name as the rows have it: resellers put a vendor and a slash before it, Bedrock
    its regions and the maker; Vertex AI has ``@`` before the version, others a dash.
    """
    name = model.rpartition("/")[2].lower().removesuffix("@default").replace("@", "-")
    found = _OF_BEDROCK.match(name)
    return name if found is None else name[found.end() :]


def pattern(name: str) -> re.Pattern[str]:
    """What finds the models that a row's name stands for: ``*`` is any text, ``?`` a character."""
    return re.compile(re.escape(name).replace(r"\*", ".*").replace(r"\?", "."))


def exactness(name: str) -> int:
    """How much of a row's name is written out: of several that match, the most exact counts."""
    return len(_WILD.sub("", name))


def matching(shape: str, provider: str, model: str) -> list[ProfileRow]:
    """The rows that count for a model, the most specific last."""
    return _matching(shape, provider, plain(model))


def _matching(shape: str, provider: str, name: str) -> list[ProfileRow]:
    found: dict[int, _Rule] = {}
    rules = _rules(shape, provider)
    for rule in rules.get(name[:_BEGINS]) or rules[""]:
        if rule.name.fullmatch(name):
            found[id(rule.row)] = rule  # rules rise in rank: a row counts by its best name
    return [rule.row for rule in sorted(found.values(), key=lambda rule: rule.rank)]


def profile(shape: str, provider: str, model: str) -> dict[str, Any]:
    """What is known of a model behind one shape of one provider; empty when nothing is."""
    return dict(_facts(shape, provider, plain(model)))


@lru_cache(maxsize=8_192)
def _facts(shape: str, provider: str, name: str) -> Mapping[str, Any]:
    """By a model's plain name: many channels have the same models."""
    facts: dict[str, Any] = {}
    for row in _matching(shape, provider, name):
        facts.update(row.facts)
    return facts


@cache
def _rules(shape: str, provider: str) -> Mapping[str, tuple[_Rule, ...]]:
    """The rows of one shape at one provider, the least specific first, by how the models begin
    that they may be about; those of the empty text are about any other.
    """
    found = [
        _Rule((exactness(name), bool(row.shapes) + bool(row.providers)), pattern(name), row)
        for row in rows()
        if shape in (row.shapes or (shape,)) and provider in (row.providers or (provider,))
        for name in row.models
    ]
    found.sort(key=lambda rule: rule.rank)
    begins = [rule.name.pattern[:_BEGINS] for rule in found]
    begins = [each if each.isalnum() and len(each) == _BEGINS else "" for each in begins]
    return {
        begin: tuple(rule for rule, own in zip(found, begins, strict=True) if own in ("", begin))
        for begin in {"", *begins}
    }
