"""Entries with credentials, for tests."""

from trivium.catalogue import store
from trivium.catalogue.documents import sealed_apart
from trivium.catalogue.model import (
    CatalogueChange,
    ChangeAuthor,
    CredentialMark,
    EntryBody,
    EntryDiff,
    EntryName,
)
from trivium.catalogue.sealing import MARKS, PURPOSE, CredentialSeal
from trivium.storage.root_key import RootKeys
from trivium.storage.vault import Vault


def seal_of(*keys):
    """With these keys of the deployment's."""
    root = RootKeys(*(keys or (b"1" * 32,)))
    return CredentialSeal(Vault(root.ring(PURPOSE)), root.ring(MARKS))


SEAL = seal_of()


def body(at, document, seal=SEAL):
    """What an entry of this whole document stores."""
    document, values = sealed_apart(at, document, {})
    marks = tuple(
        CredentialMark(
            at=place, fingerprint=seal.fingerprint(at.kind, at.name, place, value), set_ms=1
        )
        for place, value in values.items()
    )
    return EntryBody(
        document=document,
        sealed=seal.seal(at.kind, at.name, values) if values else None,
        marks=marks,
    )


async def put(db, documents, seal=SEAL, mark=None):
    """Change entries, by (kind, name); ``None`` deletes. Returns the revision."""
    async with db.read() as conn:
        known = await store.current(conn)
        names = [EntryName(*at) for at in documents]
        old = {entry.at: entry for entry in await store.named(conn, names)}
    diffs = [
        EntryDiff(
            at=at,
            before=old[at].body if at in old else None,
            after=None if document is None else body(at, document, seal),
        )
        for at, document in zip(names, documents.values(), strict=True)
    ]
    async with db.write() as conn:
        new = await store.advance(conn, known, mark or f"m{known.value + 1}")
        for diff in diffs:
            version = old[diff.at].version if diff.at in old else None
            assert await store.write(conn, diff, version, new, None, 1)
        told = CatalogueChange(
            id=0, revision=new.value, at_ms=1, author=ChangeAuthor(), reason="", diffs=tuple(diffs)
        )
        await store.record(conn, told, new.mark)
    return new
