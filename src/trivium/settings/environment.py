"""``TRIVIUM_SECTION__NAME``: settings from the environment, laid over those of the file.

Only names with the double underscore count. Others that begin with ``TRIVIUM_`` are left alone:
Kubernetes sets ``TRIVIUM_PORT`` and the like for a service called trivium. One that matches a
setting but for the second underscore is a slip, and an error.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

import msgspec
from msgspec import inspect

from trivium.settings.errors import Path, Problem
from trivium.settings.read import settings_type

_PREFIX: Final = "TRIVIUM_"
_YES: Final = frozenset({"true", "1", "yes", "on"})
_NO: Final = frozenset({"false", "0", "no", "off"})


class Given(msgspec.Struct, frozen=True):
    """One setting from outside the file."""

    path: Path
    label: str
    """What the operator wrote: the variable or the flag."""
    value: Any
    """As TOML would have it; text that does not fit the type is kept for the checks to refuse."""


def _sections() -> dict[str, dict[str, inspect.Type]]:
    return {
        field.name: {inner.name: inner.type for inner in field.type.fields}
        for field in settings_type().fields
        if isinstance(field.type, inspect.StructType)
    }


_KNOWN: Final = _sections()


def variables() -> dict[str, Path]:
    """Every variable there is and the setting it gives."""
    return {
        f"{_PREFIX}{section}__{name}".upper(): (section, name)
        for section, names in _KNOWN.items()
        for name in names
    }


def read_environment(environ: Mapping[str, str]) -> tuple[list[Given], list[Problem]]:
    """Settings given by variables, and what is wrong with the variables' names."""
    known = variables()
    slips = {name.replace("__", "_"): name for name in known}
    given: list[Given] = []
    problems: list[Problem] = []
    for name in sorted(environ):
        if not name.startswith(_PREFIX):
            continue
        path = known.get(name)
        if path is not None:
            given.append(Given(path, name, _fit(path, environ[name])))
        elif name in slips:
            problems.append(_unknown(name, slips[name]))
        elif "__" in name:
            close = get_close_matches(name, known, n=1, cutoff=0.0)
            problems.append(_unknown(name, close[0]))
    return given, problems


def read_flags(flags: Mapping[str, str]) -> list[Given]:
    """Settings given on the command line: ``{"server.workers": "4"}`` came as ``--workers``."""
    given = []
    for setting, text in flags.items():
        section, _, name = setting.partition(".")
        label = "--" + name.replace("_", "-")
        given.append(Given((section, name), label, _fit((section, name), text)))
    return given


def _unknown(name: str, close: str) -> Problem:
    if name.startswith((f"{_PREFIX}CHANNELS__", f"{_PREFIX}MODELS__")):
        return Problem(
            (name,),
            "is not a setting: channels and models are declared in the file, "
            'where a secret may be api_key = "env:NAME"',
        )
    return Problem((name,), f"is not a setting; did you mean {close}?")


def _fit(path: Path, text: str) -> Any:
    section, name = path
    wanted = _KNOWN[str(section)][str(name)]
    if isinstance(wanted, inspect.UnionType):
        if text == "":
            return None
        wanted = next(t for t in wanted.types if not isinstance(t, inspect.NoneType))
    if isinstance(wanted, inspect.VarTupleType):
        return [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(wanted, inspect.BoolType):
        word = text.strip().lower()
        return True if word in _YES else False if word in _NO else text
    if isinstance(wanted, inspect.IntType | inspect.FloatType):
        kind = int if isinstance(wanted, inspect.IntType) else float
        try:
            return kind(text)
        except ValueError:
            return text
    return text
