"""Every setting with its value and where it was given, for people; nothing secret among them.

What nobody has said is shown: a setting without a rule, whose value could be anything, is taken for
a secret.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from trivium.settings.errors import Path
from trivium.settings.model import Settings
from trivium.settings.rules import rule
from trivium.settings.secrets import REGISTERED
from trivium.settings.source import SettingsSource, dotted

DEFAULT: Final = "default"
APART: Final = frozenset({"channels", "models"})
"""Tables of the catalogue, which is shown by itself."""


class SettingOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """A setting, its value and where that was given."""

    name: str
    """``server.listen``, ``logins[0].name``."""
    value: Any
    """``None`` where it is secret, unless it names where the secret is kept (``env:NAME``)."""
    origin: str
    """``trivium.toml:12``, a variable or a flag; ``default``."""
    is_secret: bool


def origins(settings: Settings, source: SettingsSource) -> list[SettingOrigin]:
    """Every setting of every table but the catalogue's, in the order of the model."""
    return list(_of(settings, source, ()))


def _of(value: Any, source: SettingsSource, path: Path) -> Iterator[SettingOrigin]:
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            if path or name not in APART:
                yield from _of(getattr(value, name), source, (*path, name))
        return
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _of(item, source, (*path, name))
        return
    if isinstance(value, tuple) and value and isinstance(value[0], msgspec.Struct):
        for i, item in enumerate(value):
            yield from _of(item, source, (*path, i))
        return
    found = rule(path)
    is_secret = found is None or found.secret
    if isinstance(value, tuple) and (of_items := rule((*path, 0))) is not None:
        is_secret = of_items.secret
    yield SettingOrigin(
        name=dotted(path),
        value=_kept(source, path) if is_secret else value,
        origin=source.origin(path) or DEFAULT,
        is_secret=is_secret,
    )


def _kept(source: SettingsSource, path: Path) -> str | None:
    """Where a secret is kept, as it was given; ``None``: it was given itself, or not at all."""
    here: Any = source.data
    for step in path:
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            return None
    return here if isinstance(here, str) and here.startswith(REGISTERED) else None
