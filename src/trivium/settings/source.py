"""Where each setting was given: a line of the file, an environment variable or a flag."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trivium.settings.errors import Path, Problem
from trivium.settings.rules import rule


def dotted(path: Path) -> str:
    """A path as people write it: ``models[0].bindings[1].weight``."""
    out = ""
    for step in path:
        out += f"[{step}]" if isinstance(step, int) else f".{step}" if out else step
    return out


@dataclass(kw_only=True, repr=False)
class SettingsSource:
    """Names settings in messages together with the place where each was given."""

    name: str
    """The file as the operator called it; empty when there is none."""
    lines: Mapping[Path, int] = field(default_factory=dict)
    given: dict[Path, str] = field(default_factory=dict)
    """Variable or flag that gave a setting instead of the file."""
    data: dict[str, Any] = field(default_factory=dict)
    """The settings as read, before any check; it may hold secrets, so none of this is printed."""

    def title(self, path: Path) -> str:
        """Place and name: ``trivium.toml:12: channels["main"].api_key``."""
        where = self._place(path)
        return f"{where}: {self._spell(path)}" if where else self._spell(path)

    def origin(self, path: Path) -> str:
        """Where a setting was given: a line of the file, a variable or a flag; empty: nowhere, so
        that its default holds.
        """
        if path in self.given:
            return self.given[path]
        here: Any = self.data
        for step in path:
            try:
                here = here[step]
            except (KeyError, IndexError, TypeError):
                return ""
        return self._place(path)

    def say(self, problem: Problem) -> str:
        """The problem as one line."""
        text = f"{self.title(problem.path)} {problem.what}"
        example = problem.example or self._example(problem.path)
        return f"{text}. Example: {example}" if example else text

    def _place(self, path: Path) -> str:
        if path in self.given:
            return self.given[path]
        for end in range(len(path), 0, -1):
            line = self.lines.get(path[:end])
            if line is not None:
                return f"{self.name}:{line}"
        return self.name

    def _spell(self, path: Path) -> str:
        out = ""
        here: Any = self.data
        for step in path:
            try:
                here = here[step]
            except (KeyError, IndexError, TypeError):
                here = None
            if isinstance(step, int):
                name = here.get("name") if isinstance(here, dict) else None
                out += f'["{name}"]' if isinstance(name, str) and name else f"[{step}]"
            else:
                out += f".{step}" if out else step
        return out

    def _example(self, path: Path) -> str:
        found = rule(path)
        if found is None:
            return ""
        label = self.given.get(path)
        if label is None:
            return found.example
        (value,) = tomllib.loads(found.example).values()
        if isinstance(value, list):
            value = ",".join(value)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return f"{label} {text}" if label.startswith("--") else f"{label}={text}"
