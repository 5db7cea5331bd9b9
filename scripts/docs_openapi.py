"""Writes the OpenAPI description as pages of Markdown: one a tag, and one with all schemas."""

from collections.abc import Iterator
from typing import Any

import msgspec

Node = dict[str, Any]
SCHEMAS = "schemas.md"
BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "like `{}`",
    "default": "`{}` unless given",
    "format": "{}",
}


def pages(description: bytes) -> dict[str, str]:
    """Every page by its file name; ``README.md`` is the first."""
    document = msgspec.json.decode(description)
    found = {
        tag["name"]: [_title(tag["name"]), "", tag["description"], ""] for tag in document["tags"]
    }
    for path, item in document["paths"].items():
        for method, operation in item.items():
            lines = found[operation["tags"][0]]
            lines += operation_lines(document, f"{method.upper()} {path}", operation)
    result = {f"{name}.md": "\n".join(lines) + "\n" for name, lines in found.items()}
    result[SCHEMAS] = "\n".join(schema_lines(document["components"]["schemas"])) + "\n"
    return {"README.md": _first(document)} | result


def _title(tag: str) -> str:
    return f"# HTTP reference: {tag}"


def _first(document: Node) -> str:
    """What holds for all operations, how a key is presented, and where each tag is."""
    lines = ["# HTTP reference", "", document["info"]["description"], ""]
    lines += ["Written from the description that the gateway serves at `GET /openapi.json`.", ""]
    lines += ["| operations | |", "|---|---|"]
    lines += [f"| [{t['name']}]({t['name']}.md) | {t['description']} |" for t in document["tags"]]
    lines += [f"| [schemas]({SCHEMAS}) | What is sent and answered, member by member. |", ""]
    lines += ["## Keys and tokens", "", "| name | where |", "|---|---|"]
    for name, scheme in document["components"]["securitySchemes"].items():
        place = f"`{scheme['name']}` ({scheme['in']})" if "in" in scheme else scheme["scheme"]
        lines.append(f"| `{name}` | {place}. {scheme.get('description', '')} |")
    return "\n".join(lines) + "\n"


def operation_lines(document: Node, title: str, operation: Node) -> list[str]:
    """One operation: what it takes, what it answers."""
    lines = [f"## {title}", "", operation["summary"], ""]
    if more := operation.get("description"):
        lines += [more, ""]
    if schemes := sorted({name for way in operation.get("security", []) for name in way}):
        names = ", ".join(f"[`{name}`](README.md#keys-and-tokens)" for name in schemes)
        lines += [f"With {names}.", ""]
    if parameters := operation.get("parameters"):
        lines += ["| parameter | in | type | |", "|---|---|---|---|"]
        for given in parameters:
            one = _resolved(document, given)
            says = _sentence(one.get("description", ""), "Required." if one.get("required") else "")
            lines.append(f"| `{one['name']}` | {one['in']} | {kind(one['schema'])} | {says} |")
        lines.append("")
    lines += ["| | content | schema |", "|---|---|---|"]
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        lines.append(f"| request | `{media}` | {kind(content.get('schema', {}))} |")
    for status, given in operation["responses"].items():
        answer = _resolved(document, given)
        for media, content in (answer.get("content") or {"": {}}).items():
            shown = f"`{media}`" if media else answer["description"]
            lines.append(f"| {status} | {shown} | {kind(content.get('schema', {}))} |")
    return [*lines, ""]


def schema_lines(schemas: Node) -> list[str]:
    """All schemas, each as a table of its members."""
    lines = ["# HTTP reference: schemas", ""]
    lines += ["Members that are not named travel to the vendor as they are, where `…` is said.", ""]
    for name, schema in schemas.items():
        lines += [f"## {name}", ""]
        if says := schema.get("description"):
            lines += [says, ""]
        rows = list(members(schema, ""))
        if not rows:
            lines += [f"{kind(schema)}.", ""]
            continue
        lines += ["| member | type | |", "|---|---|---|"]
        lines += [f"| {' | '.join(cells)} |" for cells in rows]
        lines.append("")
    return lines


def members(schema: Node, path: str) -> Iterator[tuple[str, str, str]]:
    """Name, type and meaning of each member, with those of members below it."""
    for choice in schema.get("anyOf", []):
        yield from members(choice, path)
    if items := schema.get("items"):
        yield from members(items, f"{path}[]")
    needed = schema.get("required", [])
    for name, below in schema.get("properties", {}).items():
        where = f"{path}.{name}" if path else name
        marks = [
            "Required." if name in needed else "",
            "Deprecated." if below.get("deprecated") else "",
        ]
        yield f"`{where}`", kind(below), _sentence(below.get("description", ""), *marks)
        yield from members(below, where)
    if schema.get("properties") and schema.get("additionalProperties"):
        yield f"`{path}.…`" if path else "`…`", "any", ""


def kind(schema: Node) -> str:
    """A schema's type in a few words; a named one is a link."""
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        return f"[{name}]({SCHEMAS}#{name.lower()})"
    if choices := schema.get("anyOf"):
        return " or ".join(dict.fromkeys(kind(choice) for choice in choices))
    if "const" in schema:
        return f"`{schema['const']}`"
    if names := schema.get("enum"):
        return ", ".join(f"`{name}`" for name in names)
    given = schema.get("type", "any")
    types = [given] if isinstance(given, str) else given
    words = [_list_of(schema) if one == "array" else one for one in types]
    bounds = [
        says.format(_escaped(str(schema[name]))) for name, says in BOUNDS.items() if name in schema
    ]
    return ", ".join([" or ".join(words), *bounds])


def _list_of(schema: Node) -> str:
    items = schema.get("items")
    return f"list of {kind(items)}" if items else "list"


def _resolved(document: Node, node: Node) -> Node:
    """What a reference stands for; anything else is itself."""
    if reference := node.get("$ref"):
        found: Node = document
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]
        return found
    return node


def _sentence(*parts: str) -> str:
    return _escaped(" ".join(part for part in parts if part))


def _escaped(text: str) -> str:
    """Text that may stand in a table."""
    return text.replace("|", "\\|").replace("\n", " ")
