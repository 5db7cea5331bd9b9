"""Ids of rows in the paths of pages."""

from typing import Final

from starlette.convertors import Convertor, register_url_convertor

DIGITS_MAX: Final = 15
"""No database has so many rows, and each engine takes such a number."""


class _Row(Convertor[int]):
    regex = f"[0-9]{{1,{DIGITS_MAX}}}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("row", _Row())


def row(name: str) -> str:
    """The step of a path that is an id, which the handler finds as an ``int`` under this name;
    whatever no row can have as its id is a path that is not there.
    """
    return f"{{{name}:row}}"
