"""Filters of RFC 7644, section 3.4.2.2, read into a tree, and asked of one value. Pure.

``not`` binds closest, then ``and``, then ``or``. How long a filter may be, how deep, and how many
comparisons it may have is bounded; reading it is linear.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.identity.scim.model import GROUP_URN, USER_URN, ScimError

CHARS_MAX: Final = 4096
DEPTH_MAX: Final = 10
COMPARISONS_MAX: Final = 50
OPERATORS: Final = frozenset(["eq", "ne", "co", "sw", "ew", "gt", "lt", "ge", "le", "pr"])
_CORE: Final = tuple(f"{urn.lower()}:" for urn in (USER_URN, GROUP_URN))
_TOKEN: Final = re.compile(
    r'[ \t\r\n]*(?:(?P<text>"(?:[^"\\]++|\\.)*+")|(?P<mark>[()\[\]])|(?P<word>[^\s()\[\]"]+))',
    re.DOTALL,
)

Value = str | bool | int | float | None


class FilterComparison(msgspec.Struct, frozen=True):
    """An attribute compared with a value; of ``pr`` the value is ``None``."""

    attribute: str
    """In lower case, as names of attributes are compared: ``name.givenname``."""
    operator: str
    value: Value = None


class Junction(msgspec.Struct, frozen=True):
    """Several that must all hold, or of which one must."""

    is_and: bool
    terms: tuple["Filter", ...]


class Negation(msgspec.Struct, frozen=True):
    """One that must not hold."""

    term: "Filter"


class ElementFilter(msgspec.Struct, frozen=True):
    """One that some element of a list must meet: ``emails[type eq "work"]``."""

    attribute: str
    inner: "Filter"


Filter = FilterComparison | Junction | Negation | ElementFilter


def read_filter(text: str) -> Filter:
    """The tree of a filter. Raises ``ScimError`` (invalidFilter), which says where it is wrong."""
    reader = FilterReader(text)
    found = reader.either(0)
    reader.end()
    return found


def wrong(message: str) -> ScimError:
    """The refusal of a filter."""
    return ScimError(400, f"filter: {message}", "invalidFilter")


class FilterReader:
    """Reads a filter from its tokens."""

    def __init__(self, text: str) -> None:
        if len(text) > CHARS_MAX:
            raise wrong(f"has more than {CHARS_MAX} characters")
        self._tokens = _tokens(text)
        self._at = 0
        self._comparisons = 0

    def either(self, depth: int) -> Filter:
        """Terms between which stands ``or``."""
        return self._joined("or", depth)

    def _joined(self, word: str, depth: int) -> Filter:
        terms = [self._term(depth) if word == "and" else self._joined("and", depth)]
        while self._peek().lower() == word:
            self._at += 1
            terms.append(self._term(depth) if word == "and" else self._joined("and", depth))
        return terms[0] if len(terms) == 1 else Junction(word == "and", tuple(terms))

    def _term(self, depth: int) -> Filter:
        if depth >= DEPTH_MAX:
            raise wrong(f"is nested more than {DEPTH_MAX} levels deep")
        if self._peek().lower() == "not" and self._peek(1) == "(":
            self._at += 1
            return Negation(self._term(depth + 1))
        if self._peek() == "(":
            self._at += 1
            found = self.either(depth + 1)
            self._take(")")
            return found
        attribute = attribute_name(self._next("an attribute"))
        if self._peek() == "[":
            self._at += 1
            inner = self.either(depth + 1)
            self._take("]")
            return ElementFilter(attribute, self._with_part(inner))
        return self._comparison(attribute)

    def _with_part(self, inner: Filter) -> Filter:
        """A filter of elements, and what is compared of those behind it: Entra looks for people by
        ``emails[type eq "work"].value eq "ada@example.com"``, which the RFC has in paths alone.
        """
        part = self._peek()
        if not part.startswith("."):
            return inner
        self._at += 1
        return Junction(True, (inner, self._comparison(attribute_name(part[1:]))))

    def _comparison(self, attribute: str) -> FilterComparison:
        self._comparisons += 1
        if self._comparisons > COMPARISONS_MAX:
            raise wrong(f"has more than {COMPARISONS_MAX} comparisons")
        operator = self._next("an operator, such as eq").lower()
        if operator not in OPERATORS:
            raise wrong(
                f"{operator[:40]!r} is no operator; there are {', '.join(sorted(OPERATORS))}"
            )
        if operator == "pr":
            return FilterComparison(attribute, operator)
        text = self._next('a value, such as "ada"')
        try:
            value = msgspec.json.decode(text.encode(), type=str | bool | int | float | None)
        except (msgspec.DecodeError, UnicodeEncodeError):
            # Entra and others write booleans as Python does
            if text.lower() not in ("true", "false"):
                raise wrong(f"{text[:40]!r} is no value; texts stand in double quotes") from None
            value = text.lower() == "true"
        if isinstance(value, str) and "\0" in value:
            raise wrong("no text has the character 0")  # PostgreSQL takes none
        return FilterComparison(attribute, operator, value)

    def end(self) -> None:
        """Raise unless everything was read."""
        if self._at < len(self._tokens):
            raise wrong(f"{self._peek()[:40]!r} is not expected there")

    def element(self) -> "tuple[str, Filter | None, str]":
        """A path: an attribute, the filter behind it, and the part of the element."""
        attribute = attribute_name(self._next("an attribute"))
        if self._peek() != "[":
            return attribute, None, ""
        self._at += 1
        inner = self.either(1)
        self._take("]")
        part = self._peek()
        if not part:
            return attribute, inner, ""
        self._at += 1
        if not part.startswith("."):
            raise wrong(f"{part[:40]!r} is not expected behind ']'")
        return attribute, inner, attribute_name(part[1:])

    def _peek(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def _next(self, wanted: str) -> str:
        found = self._peek()
        if not found:
            raise wrong(f"ends where {wanted} should be")
        self._at += 1
        return found

    def _take(self, mark: str) -> None:
        if self._peek() != mark:
            raise wrong(f"lacks a {mark!r}")
        self._at += 1


def _tokens(text: str) -> list[str]:
    found, at, end = [], 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise wrong("has a text that does not end")
        found.append(match[0].lstrip())
        at = match.end()
    return found


def attribute_name(text: str) -> str:
    """A name of an attribute in lower case, without the URN of the core schemas. Raises
    ``ScimError`` (invalidFilter).
    """
    name = text.lower()
    for urn in _CORE:
        name = name.removeprefix(urn)
    bare = name.replace(".", "").replace("$ref", "ref").replace("-", "")
    is_name = name.startswith("urn:") or bare.isidentifier()
    if not is_name or name.startswith(".") or name.endswith("."):
        raise wrong(f"{text[:80]!r} is no name of an attribute")
    return name


def holds(found: Filter, element: Any) -> bool:
    """Whether an element of a list meets a filter. Names are compared without case, as texts are;
    of a plain value the attribute is ``value``.
    """
    if isinstance(found, Junction):
        results = (holds(term, element) for term in found.terms)
        return all(results) if found.is_and else any(results)
    if isinstance(found, Negation):
        return not holds(found.term, element)
    if isinstance(found, ElementFilter):
        return False
    return compares(found.operator, _part(element, found.attribute), found.value)


def _part(element: Any, name: str) -> Any:
    if not isinstance(element, Mapping):
        return element if name == "value" else None
    return next((value for key, value in element.items() if key.lower() == name), None)


def compares(operator: str, left: Any, right: Value) -> bool:
    """What an operator says of two values; those that cannot be compared are not equal."""
    if operator == "pr":
        return left not in (None, "", [], {})
    if isinstance(left, str) and isinstance(right, str):
        left, right = left.casefold(), right.casefold()
    elif isinstance(left, str) and isinstance(right, bool):
        left, right = left.casefold(), str(right).casefold()
    if operator in ("eq", "ne"):
        return (left == right) is (operator == "eq")
    if not (isinstance(left, str) and isinstance(right, str)):
        return False
    return {
        "co": right in left,
        "sw": left.startswith(right),
        "ew": left.endswith(right),
        "gt": left > right,
        "ge": left >= right,
        "lt": left < right,
        "le": left <= right,
    }[operator]
