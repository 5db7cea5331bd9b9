"""Loads what the packages named in ``plugins.enabled`` bring, and nothing of any other."""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from typing import Any, Final

from trivium.settings.errors import SettingsError

PROVIDERS: Final = "trivium.providers"
HOOKS: Final = "trivium.hooks"
_EXAMPLE: Final = 'Example: enabled = ["trivium-northwind"]'


def brought(names: Iterable[str], group: str) -> list[tuple[str, Any]]:
    """Name and object of each entry point of one group, in the order of the packages.

    Raises SettingsError for packages that are not there, bring nothing or cannot be imported.
    """
    return [(entry.name, found) for entry, found in _loaded(tuple(names)) if entry.group == group]


@cache
def _loaded(names: tuple[str, ...]) -> tuple[tuple[EntryPoint, Any], ...]:
    found: list[tuple[EntryPoint, Any]] = []
    wrong: list[str] = []
    for name in names:
        try:
            entries = [e for e in distribution(name).entry_points if e.group in (PROVIDERS, HOOKS)]
        except (PackageNotFoundError, ValueError):
            wrong.append(f'plugins.enabled names "{name}", which is not installed. {_EXAMPLE}')
            continue
        if not entries:
            wrong.append(f'plugins.enabled names "{name}", which brings neither provider nor hook')
        for entry in entries:
            try:
                found.append((entry, entry.load()))
            except Exception as exc:  # noqa: BLE001 - it is somebody else's code
                why = f"{type(exc).__name__}: {exc}"
                wrong.append(f'plugins.enabled names "{name}", which cannot be loaded: {why}')
    if wrong:
        raise SettingsError(*wrong)
    return tuple(found)
