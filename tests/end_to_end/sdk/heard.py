"""What every SDK is asked, and the one form in which its answers are told."""

import dataclasses
from typing import Literal

import pydantic

from end_to_end.features.asking import CITY

QUESTION = "Weather?"
SCHEMAS = {"look": CITY, "now": {"type": "object", "properties": {}}}


class Person(pydantic.BaseModel):
    """A definition that the schema refers to."""

    name: str
    born: int | None


class Town(pydantic.BaseModel):
    """What `parse` is asked for: definitions, choices, lists and what may be missing."""

    city: str
    people: int = pydantic.Field(ge=0)
    mayor: Person
    council: list[Person]
    climate: Literal["mild", "cold"]


@dataclasses.dataclass
class Heard:
    """One answer."""

    text: str = ""
    calls: list = dataclasses.field(default_factory=list)
    """(name, arguments)."""
    end: str | None = None
    """The SDK's own word."""
    tokens: tuple = ()
    """Input and output, as the SDK counts."""
    thoughts: str = ""
