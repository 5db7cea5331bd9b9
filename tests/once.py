"""What a gateway or a command does once in its life, and tests would do thousands of times."""

import functools

import typer.main
from msgspec import inspect

from trivium.settings.model import Settings


def build_commands_once():
    """Have Typer build the tree of all commands once: 30 ms for each command that is run."""
    typer.main.get_command = functools.cache(typer.main.get_command)


def look_at_settings_once():
    """Have what the types of all settings are found out once: 4 ms for each file that is read."""
    look = inspect.type_info
    found = []

    def type_info(kind):
        if kind is not Settings:
            return look(kind)
        if not found:
            found.append(look(kind))
        return found[0]

    inspect.type_info = type_info
