"""The notation that the description's schemas are written in: JSON Schema 2020-12, shorter.

``Name = type`` defines a component, ``name = type`` a part that is put in wherever it is named::

    Video = {
      id!: text, status!: 'queued' | 'completed', progress: int 0..100 "Percent.",
      error: {code!: text} | null, tags: text[..16], size: text = '720p', ...shared
    }

``!`` marks a member that is required; others than those named are allowed and travel on, but for
``closed {…}``. ``{*: type}`` is an object whose names are the caller's own, ``object`` one that is
not looked into. Bounds are inclusive. ``text(maxLength 64)`` takes JSON Schema's own rules.
``deprecated``, a description in double quotes and ``= default`` end a type, in this order, and
belong to all of its alternatives; brackets keep them to some.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

Schema = dict[str, Any]

_TOKEN: Final = re.compile(
    r"""\s+|"(?P<about>[^"]*)"|'(?P<word>[^']*)'|(?P<number>-?\d+(?:\.\d+)?)"""
    r"""|(?P<name>[A-Za-z_][\w-]*)|(?P<mark>\.\.\.|\.\.|[][{}()|,:=!*])|(?P<wrong>.)"""
)
_KINDS: Final = {"text": "string", "int": "integer", "num": "number", "bool": "boolean"}
_NULL: Final[Schema] = {"type": "null"}
_WHOLE: Final = {"null": _NULL, "object": {"type": "object", "additionalProperties": True}}


def ref(name: str) -> Schema:
    """A component by name."""
    return {"$ref": f"#/components/schemas/{name}"}


def one_of(names: Sequence[str]) -> Schema:
    """A component of several; of one the component itself."""
    return ref(names[0]) if len(names) == 1 else {"oneOf": [ref(name) for name in names]}


def media(of: Schema, kind: str = "application/json") -> Schema:
    """Content of one type."""
    return {kind: {"schema": of}}


def schemas(text: str, known: dict[str, Schema] | None = None) -> dict[str, Schema]:
    """Every definition of a text by name, parts too; ``known``: parts from elsewhere.

    ``ValueError``: it cannot be read, or names a part that is not defined before.
    """
    reader = _Reader(text, known or {})
    while reader.kind != "end":
        name = reader.take("name")
        reader.take("=")
        reader.own[name] = reader.type()
    return reader.own


def schema(text: str) -> Schema:
    """Return the schema that one type in the notation stands for."""
    return schemas(f"it = {text}")["it"]


def parameters(text: str) -> dict[str, Schema]:
    """Components of parameters by name, from ``component = place name: type "description"``.

    Those of paths are always required, others with ``!`` behind the name.
    """
    reader, out = _Reader(text, {}), dict[str, Schema]()
    while reader.kind != "end":
        component = reader.take("name")
        reader.take("=")
        place, name = reader.take("name"), reader.take("name")
        required = reader.skip("!") or place == "path"
        reader.take(":")
        of = reader.type()
        about = of.pop("description")
        out[component] = {"name": name, "in": place, "schema": of, "description": about}
        out[component] |= {"required": True} if required else {}
    return out


class _Reader:
    """Reads a text from left to right, one token ahead."""

    def __init__(self, text: str, known: dict[str, Schema]) -> None:
        self.own: dict[str, Schema] = {}
        self._known = known
        self._tokens = _tokens(text)
        self.kind, self.value = next(self._tokens)

    def take(self, kind: str) -> str:
        """Return the next token and go on; ``ValueError`` where it is not of this kind."""
        if self.kind != kind:
            raise ValueError(f"{kind} expected where {self.value or self.kind} stands")
        value = self.value
        self.kind, self.value = next(self._tokens)
        return value

    def skip(self, kind: str) -> bool:
        """Whether the next token is of this kind; if so it is taken."""
        if self.kind != kind:
            return False
        self.take(kind)
        return True

    def type(self) -> Schema:
        """Alternatives with what ends them."""
        found = [self._one()]
        while self.skip("|"):
            found.append(self._one())
        out = _alternatives(found)
        if self.value == "deprecated":
            self.take("name")
            out = {**out, "deprecated": True}
        if self.kind == "about":
            out = {**out, "description": " ".join(self.take("about").split())}
        return {**out, "default": self._value()} if self.skip("=") else out

    def _one(self) -> Schema | str:
        """One alternative: a constant is returned as it is, to be put together with others."""
        out: Schema | str
        if self.kind == "word":
            out = self.take("word")
        elif self.skip("("):
            out = self.type()
            self.take(")")
        elif self.skip("{"):
            out = self._object()
        else:
            out = self._named(self.take("name"))
        while self.skip("["):
            items = _alternatives([out])
            out = {"type": "array", "items": items, **self._bounds("minItems", "maxItems")}
            self.take("]")
        return out

    def _named(self, name: str) -> Schema:
        if name == "text":
            return {"type": "string", **self._rules()}
        if name in _KINDS:
            return {"type": _KINDS[name], **self._bounds("minimum", "maximum")}
        if name == "closed":
            self.take("{")
            return {**self._object(), "additionalProperties": False}
        if name[0].isupper():
            return ref(name)
        for found in (_WHOLE, self.own, self._known):
            if name in found:
                return found[name]
        raise ValueError(f"{name} is not defined before it is used")

    def _object(self) -> Schema:
        if self.skip("*"):
            self.take(":")
            out: Schema = {"type": "object", "additionalProperties": self.type()}
            self.take("}")
            return out
        members: Schema = {}
        required: list[str] = []
        while not self.skip("}"):
            if self.skip("..."):
                of = self._named(self.take("name"))
                members |= of["properties"]
                required += of["properties"] if self.skip("!") else of.get("required", ())
            else:
                name = self.take("name")
                required += [name] if self.skip("!") else []
                self.take(":")
                members[name] = self.type()
            if self.kind != "}":
                self.take(",")
        out = {"type": "object", "properties": members}
        return {**out, **({"required": required} if required else {}), "additionalProperties": True}

    def _bounds(self, low: str, high: str) -> Schema:
        out = {low: self._value()} if self.kind == "number" else {}
        if self.skip("..") and self.kind == "number":
            out[high] = self._value()
        return out

    def _rules(self) -> Schema:
        out: Schema = {}
        if self.skip("("):
            while not self.skip(")"):
                name = self.take("name")
                out[name] = self._value()
                self.skip(",")
        return out

    def _value(self) -> Any:
        if self.kind == "word":
            return self.take("word")
        return msgspec.json.decode(self.take("number" if self.kind == "number" else "name"))


def _alternatives(found: list[Schema | str]) -> Schema:
    """One schema of several, in which constants beside each other are one."""
    out: list[Schema] = []
    words: list[str] = []
    for each in found:
        if isinstance(each, str):
            out[-1:] = [] if words else out[-1:]
            words.append(each)
            out.append(constant(*words))
        else:
            words = []
            out.append(each)
    if len(out) == 2 and out[1] is _NULL:
        return _nullable(out[0])
    return out[0] if len(out) == 1 else {"anyOf": out}


def constant(*words: str) -> Schema:
    """One of these texts; a single one is a constant."""
    if len(words) == 1:
        return {"type": "string", "const": words[0]}
    return {"type": "string", "enum": list(words)}


def _nullable(of: Schema) -> Schema:
    """The same, or an explicit null, which means as much as leaving the member out."""
    kind = of.get("type")
    if isinstance(kind, str) and "enum" not in of and "const" not in of:
        return {**of, "type": [kind, "null"]}
    return {"anyOf": [of, _NULL]}


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Kind and value of each token, an ``end`` last; marks are kinds of their own."""
    for found in _TOKEN.finditer(text):
        kind, value = found.lastgroup, found.group()
        if kind == "wrong":
            raise ValueError(f"{value} means nothing here")
        if kind is not None:
            yield (value, value) if kind == "mark" else (kind, found[kind])
    yield "end", ""
