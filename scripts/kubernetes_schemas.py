#!/usr/bin/env python
"""Writes JSON schemas of Kubernetes' own kinds, which refuse members that a kind does not have.

    kubernetes_schemas.py FOLDER swagger.json [CUSTOM-RESOURCE.yaml …]

Files are named as kubeconform looks for them: KIND-GROUP-VERSION.json, the group's first word.
"""

import json  # noqa: TID251 - other people's, with members of any kind
import re
import sys
from pathlib import Path
from typing import Any

import yaml

INT_OR_STRING = {"oneOf": [{"type": "integer"}, {"type": "string"}]}
OWN: dict[str, dict[str, Any]] = {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": INT_OR_STRING,
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {
        "oneOf": [{"type": "number"}, {"type": "string"}]
    },
}
"""Definitions that say less in the description than the server takes."""


def strict(schema: Any) -> Any:
    """A schema that refuses what it does not name."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("x-kubernetes-int-or-string"):
        return INT_OR_STRING
    found = {name: strict(value) for name, value in schema.items() if not name.startswith("x-")}
    if "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
        found.setdefault("additionalProperties", False)
    return found


def named(kind: str, group: str, version: str) -> str:
    """The file in which kubeconform looks for a kind."""
    parts = [kind, group.partition(".")[0], version] if group else [kind, version]
    return "-".join(parts).lower() + ".json"


def needed(definitions: dict[str, Any], name: str) -> dict[str, Any]:
    """A definition and all that it refers to."""
    found: dict[str, Any] = {}
    queue = [name]
    while queue:
        one = queue.pop()
        if one not in found:
            found[one] = definitions[one]
            queue += re.findall(r'"#/definitions/([^"]+)"', json.dumps(found[one]))
    return found


def kinds(swagger: Path) -> dict[str, Any]:
    """Schemas of a server's description, by file."""
    definitions = json.loads(swagger.read_text())["definitions"]
    plain = {name: OWN.get(name) or strict(one) for name, one in definitions.items()}
    return {
        named(kind["kind"], kind["group"], kind["version"]): {
            "$ref": f"#/definitions/{name}",
            "definitions": needed(plain, name),
        }
        for name, one in definitions.items()
        for kind in one.get("x-kubernetes-group-version-kind", ())
    }


def custom(path: Path) -> dict[str, Any]:
    """Schemas of a custom resource, by file."""
    spec = yaml.safe_load(path.read_text())["spec"]
    found = {}
    for version in spec["versions"]:
        schema = strict(version["schema"]["openAPIV3Schema"])
        schema["properties"]["metadata"] = {"type": "object"}
        found[named(spec["names"]["kind"], spec["group"], version["name"])] = schema
    return found


def main(folder: Path, swagger: Path, *resources: Path) -> None:
    """Write them all."""
    folder.mkdir(parents=True, exist_ok=True)
    found = kinds(swagger)
    for path in resources:
        found |= custom(path)
    for name, schema in found.items():
        (folder / name).write_text(json.dumps(schema))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
