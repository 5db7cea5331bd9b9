"""What nobody reads in an answer is found and named, whatever else the answer is."""

import json

import pytest

from trivium.conversation.shape_capabilities import Loss
from trivium.wire.unknown_members import MANY, NOTED, READ, TOLD, KnownMembers

KNOWN = KnownMembers(
    "Animal",
    {
        "name": READ,
        "age": NOTED,
        "owner": TOLD,
        "legs": [{"side": READ, "toes": {"count": READ}}],
        "home": {"city": READ},
    },
)
UNKNOWN = Loss.UNKNOWN


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"{}", []),
        (b'{"name":"cat","legs":[{"side":"left","toes":{"count":5}}],"home":{"city":"Ulm"}}', []),
        (b'{"name":{"any":["thing"]}}', []),
        (b'{"age":null,"legs":null,"home":null}', []),
        (b'{"age":7}', [("age", NOTED)]),
        (b'{"owner":{"a":1}}', [("owner", UNKNOWN)]),
        (b'{"owner":[]}', []),
        (b'{"wings":2}', [("wings", UNKNOWN)]),
        (b'{"wings":null,"tail":[],"fur":{},"cry":"","big":false,"weight":0}', []),
        (b'{"wings":2,"tail":"long, and more than the longest word that says nothing"}',
         [("wings", UNKNOWN), ("tail", UNKNOWN)]),
        (b'{"legs":[{"side":"left"},null,5,{"shoe":1}]}', [("shoe", UNKNOWN)]),
        (b'{"legs":[{"toes":{"count":5,"nails":5}}],"home":{"street":"x"}}',
         [("nails", UNKNOWN), ("street", UNKNOWN)]),
        (b'{"legs":"four","home":["a"],"wings":1}', [("wings", UNKNOWN)]),
        (b"[1]", []),
        (b'{"wings":2', []),
        (b"\xff", []),
        (b'{"a":' * 2000 + b"1" + b"}" * 2000, []),
    ],
)  # fmt: skip
def test_members_that_nobody_knows_are_told(data, told):
    """By name, at any depth; those that say nothing are no loss, and nonsense is others' business."""
    found = []
    KNOWN.look(data, lambda name, loss: found.append((name, loss)))
    assert told == found


@pytest.mark.parametrize(("count", "most"), [(200, 200), (20_000, 256), (200_000, 1)])
def test_of_very_many_names_some_are_told(count, most):
    """An upstream chooses them, and a turn of the loop is short."""
    told = []
    KNOWN.look(
        json.dumps({f"x{at}": 1 for at in range(count)}).encode(), lambda *one: told.append(one)
    )
    assert most == len(told)
    assert (most == 1) is ((MANY, UNKNOWN) in told)
