"""A vendor's suite as rows: each request in its turn, and what its answer must be."""

from typing import Any

import msgspec

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


class Row(msgspec.Struct, kw_only=True):
    """One request, and what its answer must be. ``<name>`` stands for what was kept before."""

    note: str
    method: str = "GET"
    path: str
    body: Any = None
    status: int = 200
    found: dict[str, Any] = {}
    """Values by their path in the answer: ``Resources.0.name.givenName``; ``...``: any, not empty;
    ``None``: it is not there."""
    keep: dict[str, str] = {}
    """What is kept of the answer, by its path, under which name."""
    token: str | None = None
    type: str = "application/scim+json; charset=utf-8"


def patch(note, path, *operations, **more):
    """A row that changes something."""
    body = {"schemas": [PATCH], "Operations": list(operations)}
    return Row(note=note, method="PATCH", path=path, body=body, **more)


def at(answer, path):
    """What an answer has there; ``None``: nothing."""
    for part in path.split("."):
        if isinstance(answer, list):
            answer = answer[int(part)] if int(part) < len(answer) else None
        else:
            answer = (answer or {}).get(part)
    return answer


def filled(value, kept):
    """A value with what was kept in it."""
    text = msgspec.json.encode(value).decode()
    for name, of in kept.items():
        text = text.replace(f"<{name}>", of)
    return msgspec.json.decode(text)


async def walk(idp, rows, **kept):
    """Send each row as its vendor does; every answer is SCIM's, errors too."""
    # whoever runs a suite has no domain of its own: its people come from anywhere
    token = (await idp.console.scim.tokens.create(idp.acme.id, "suite"))[1]
    for row in rows:
        path, body = filled(row.path, kept), filled(row.body, kept)
        answer = await idp.ask(
            row.method,
            path,
            body,
            token=token if row.token is None else row.token,
            content_type=row.type,
            accept="application/scim+json",
            accept_charset="utf-8",
            user_agent="OKTA SCIM Integration",
        )
        where = f"{row.note}: {row.method} {path} {answer.text}"
        assert row.status == answer.status_code, where
        if answer.status_code == 204:
            assert not answer.content, where
            continue
        assert answer.headers["content-type"].startswith("application/scim+json"), where
        found = answer.json()
        if answer.status_code >= 400:
            assert [ERROR] == found["schemas"], where
            assert str(answer.status_code) == found["status"], where
            assert found["detail"], where
        if answer.status_code == 201:
            assert answer.headers["location"] == found["meta"]["location"], where
        for name, value in filled_rows(row.found, kept):
            seen = at(found, name)
            assert seen not in (None, "", []) if value is ... else seen == value, (name, where)
        kept |= {name: str(at(found, path_)) for path_, name in row.keep.items()}
    return kept


def filled_rows(found, kept):
    """What is looked for, with what was kept."""
    return [(name, value if value is ... else filled(value, kept)) for name, value in found.items()]
