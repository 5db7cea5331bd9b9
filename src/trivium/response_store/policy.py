"""What a request refers to, put in its place: history before input, items for references.

A response that an upstream keeps ties the request to that upstream. One that we keep is spelled
out, for whichever channel comes. Instructions are not inherited: the vendor's rule.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import msgspec

from trivium.faults import Fault, Kind
from trivium.response_store import items
from trivium.response_store.model import Recollection, Resolved, StoredResponse
from trivium.settings.model import ResponsesSettings
from trivium.wire import peek
from trivium.wire.peek import Members

REFERENCES_MAX: Final = 10_000
"""Items that one request may name."""
LOOKUPS_MAX: Final = 500
"""Responses of ours that are read for one request; the newest of a conversation has all items."""

_NO: Final = b"false"
_YES: Final = b"true"


class Memory(Protocol):
    """Finds what a user may refer to; ``response_store/service.py`` is the real one."""

    limits: ResponsesSettings

    async def find(self, user_id: int, response_id: str) -> StoredResponse | None:
        """Return a user's response; ``None`` if there is none."""
        ...

    async def holder(self, user_id: int, item_id: str) -> StoredResponse | None:
        """The user's response that an item belongs to."""
        ...

    async def homes(self, user_id: int, item_ids: Sequence[str]) -> dict[str, str]:
        """Return which channel keeps each of these items for the user."""
        ...


def refers(members: Members) -> bool:
    """Whether a responses request refers to anything that has to be looked up."""
    if members.string("previous_response_id") is not None:
        return True
    found = items.references(members.raw("input"))
    return bool(found.items or found.thoughts)


def alone(members: Members, body: bytes, *, stores: bool) -> Recollection | None:
    """Return what is to be stored of a request that refers to nothing; ``None``: nothing.
    ``stores``: whether answers are stored at all.
    """
    if not _wanted(members):
        return None
    if stores:
        return Recollection(asked=members, body=body, stored=True)
    asked, body = _with(members, body, {"store": _NO})
    return Recollection(asked=asked, body=body, stored=False)


def _wanted(members: Members) -> bool:
    """Whether the caller wants the answer to be stored."""
    return members.raw("store") is None or members.flag("store")


async def recollect(
    memory: Memory, user_id: int, members: Members, body: bytes
) -> Recollection | None:
    """Return what a responses request refers to; ``None`` when it refers to nothing and nothing is
    to be stored. Raises ``Fault``: NOT_FOUND for an id this user does not have, INVALID_VALUE for
    members that exclude each other.
    """
    if not refers(members):
        return alone(members, body, stores=memory.limits.store)
    stored = _wanted(members) and memory.limits.store
    previous = members.string("previous_response_id")
    references = items.references(members.raw("input"))
    if previous is not None and members.raw("conversation") is not None:
        raise Fault(
            Kind.INVALID_VALUE,
            "`previous_response_id` and `conversation` exclude each other: send one of them.",
            param="previous_response_id",
        )
    resolved = await _resolved(memory, user_id, members, previous, references.items)
    thoughts: dict[str, str | None] = {}
    if references.thoughts:
        _check_many(references.thoughts)
        homes = await memory.homes(user_id, list(references.thoughts.values()))
        thoughts = {f"input[{at}].id": homes.get(i) for at, i in references.thoughts.items()}
    changes = dict(resolved.changes)
    if resolved.spelled or not stored:
        # a history that is ours is nothing an upstream has to keep a copy of
        changes["store"] = _NO
    asked, body = _with(members, body, changes)
    return Recollection(
        asked=asked,
        body=body,
        stored=stored,
        recalled=resolved.recalled,
        spelled=resolved.spelled,
        channel=resolved.channel,
        param=resolved.param,
        thoughts=thoughts,
    )


async def _resolved(
    memory: Memory,
    user_id: int,
    members: Members,
    previous: str | None,
    references: Mapping[int, str],
) -> Resolved:
    channel: str | None = None
    param = ""
    before: list[bytes] = []
    changes: dict[str, bytes | None] = {}
    if previous is not None:
        kept = await memory.find(user_id, previous)
        if kept is None:
            raise unknown_response(previous, "previous_response_id")
        if kept.response is None:
            channel, param = kept.channel, "previous_response_id"
        else:
            said = items.said_in(kept.response, stream=False)
            before = items.history(kept.input, () if said is None else said.output)
            changes["previous_response_id"] = None
    rows = items.listed(members.raw("input"))
    spelled = bool(changes)
    room = memory.limits.response_bytes_max
    found = await _found(memory, user_id, references)
    for at, item_id in references.items():
        path = f"input[{at}].id"
        item = found[item_id]
        if isinstance(item, bytes):
            # a name takes some bytes, what it stands for may be an image
            room -= len(item)
            if room < 0:
                raise _too_large(memory.limits.response_bytes_max, path)
            rows[at] = item
            spelled = True
        else:
            if channel not in (None, item):
                raise _scattered(path)
            channel, param = item, param or path
    if spelled and channel is not None:
        # an upstream that keeps one half cannot be shown the other by name
        raise _scattered(param)
    if spelled:
        changes["input"] = items.array([*before, *rows])
    return Resolved(changes, len(before), spelled, channel, param)


async def _found(
    memory: Memory, user_id: int, references: Mapping[int, str]
) -> dict[str, bytes | str]:
    """What each id stands for: an item of ours, or the name of the channel that keeps it.

    From the newest reference on: a response has the items of all turns before it, so a whole
    conversation of references mostly takes one look.
    """
    _check_many(references)
    places = {item_id: at for at, item_id in reversed(list(references.items()))}
    found: dict[str, bytes | str] = {}
    if len(places) > 1:
        found |= await memory.homes(user_id, list(places))
    looked = 0
    for item_id, at in places.items():
        if item_id in found:
            continue
        path = f"input[{at}].id"
        looked += 1
        if looked > LOOKUPS_MAX:
            raise Fault(
                Kind.INVALID_VALUE,
                f"`input` must not refer to items of more than {LOOKUPS_MAX} stored responses: "
                "send the items themselves.",
                param=path,
            )
        kept = await memory.holder(user_id, item_id)
        if kept is None:
            raise unknown_item(item_id, path)
        if kept.response is None:
            found[item_id] = kept.channel
            continue
        said = items.said_in(kept.response, stream=False)
        mine = items.by_id([*(() if said is None else said.output), *kept.input])
        if item_id not in mine:
            raise unknown_item(item_id, path)
        for name, item in mine.items():
            found.setdefault(name, item)
    return found


def _check_many(references: Mapping[int, str]) -> None:
    """Refuse too many references, because every few hundred are a query."""
    if len(references) > REFERENCES_MAX:
        raise Fault(
            Kind.INVALID_VALUE,
            f"`input` must not refer to more than {REFERENCES_MAX} items: send the items "
            "themselves.",
            param="input",
        )


def told(members: Members, *, stored: bool) -> dict[str, msgspec.Raw]:
    """Return the members an answer echoes: the caller's own, and whether it is really stored."""
    table = dict(members.table)
    table.pop("store", None)
    table["store"] = msgspec.Raw(_YES if stored else _NO)
    return table


def unknown_response(response_id: str, param: str) -> Fault:
    """Return the 404 for a response that this user does not have. It does not say whether another
    user has it.
    """
    return Fault(
        Kind.NOT_FOUND,
        f"There is no response `{response_id[: items.ID_CHARS_MAX]}`: it was never stored, or it "
        "was deleted or has expired.",
        param=param,
        code="previous_response_not_found" if param == "previous_response_id" else None,
    )


def unknown_item(item_id: str, param: str) -> Fault:
    """Return the 404 for an item that this user does not have."""
    return Fault(
        Kind.NOT_FOUND,
        f"There is no item `{item_id[: items.ID_CHARS_MAX]}` in a stored response: send the item "
        "itself.",
        param=param,
    )


def _scattered(param: str) -> Fault:
    return Fault(
        Kind.UNREPRESENTABLE,
        f"`{param}` is kept by another upstream than the rest that this request refers to, so no "
        "channel can see both. Send the items themselves.",
        param=param,
    )


def _too_large(limit: int, param: str) -> Fault:
    return Fault(
        Kind.BODY_TOO_LARGE,
        f"What `input` refers to has more than {limit} bytes by `{param}`.",
        param=param,
    )


def _with(
    members: Members, body: bytes, changes: Mapping[str, bytes | None]
) -> tuple[Members, bytes]:
    if not changes:
        return members, body
    body = members.splice(changes)
    return peek.members(body), body
