"""``/api/admin/acts``: the audit log, read back."""

from typing import Any, Final

import msgspec

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiMethod, resource
from trivium.observe.audit.model import Act, ActKind


async def listing(asked: AdminRequest) -> Any:
    """Acts, newest first; of one kind, by or on one user."""
    most = paging.limit(asked)
    found = await asked.console.audit.everything(
        paging.number(asked, "before", "the id of an act"),
        most + 1,
        kind=paging.word(asked, "act", ActKind),
        user_id=paging.number(asked, "user", "the id of a user"),
    )
    rows, more = paging.cut(found, most)
    return {"acts": [_shown(act) for act in rows], "before": rows[-1].id if more else None}


def _shown(act: Act) -> dict[str, Any]:
    return {
        "id": act.id,
        "at_ms": act.at_ms,
        "act": act.kind,
        "actor_id": act.actor_id,
        "subject_id": act.subject_id,
        "what": act.what,
        "address": act.address,
        "agent": act.agent,
        "detail": msgspec.json.decode(act.detail) if act.detail else {},
    }


_QUERY: Final = frozenset({"user", "act", "limit", "before"})
ENDPOINTS: Final = (resource("/api/admin/acts", GET=ApiMethod(listing, query=_QUERY)),)
