"""Checks that all nodes of one database have the gateway's own secret in common.

The database stores the mark of the sealing key: the key id that everything sealed with it carries,
of a key derived for this purpose alone. It tells nodes apart and nothing of the secret. A node that
could not open what the others seal is refused; one that can, and seals with another of its keys,
stores that key's mark: so a secret is replaced node by node.
"""

from typing import TYPE_CHECKING, Final

from sqlalchemy import text

from trivium.storage.errors import StorageError

if TYPE_CHECKING:
    from trivium.storage.database import Database
    from trivium.storage.root_key import RootKeys

_PURPOSE: Final = "fingerprint"


class SecretDiffers(StorageError):  # noqa: N818 - a state, as it is told to the operator
    """The secret here is not that of the other nodes; the message says what to do."""


def marks(keys: "RootKeys") -> list[str]:
    """Return the mark of every key; the first key is the one that seals."""
    return [mark.hex() for mark in keys.ring(_PURPOSE).ids]


async def known(db: "Database") -> str | None:
    """Return the mark of the key that the nodes seal with; ``None`` before the first node has
    started. Raises what ``Database.read`` raises.
    """
    async with db.read() as conn:
        found = await conn.scalar(text("SELECT mark FROM secret_mark WHERE id = 1"))
    return None if found is None else str(found)


async def agree(db: "Database", keys: "RootKeys | None", file: str) -> None:
    """Make sure that this node can open what the others seal, and store the mark of its sealing
    key.

    ``keys``: ``None`` where this node has none yet, and would make its own in ``file``. Raises
    ``SecretDiffers``, and what the database raises.
    """
    mark = await known(db)
    if mark is None and keys is not None:
        async with db.write() as conn:  # of two that start at once one is the first
            await conn.execute(
                text("INSERT INTO secret_mark (id, mark) VALUES (1, :mark) ON CONFLICT DO NOTHING"),
                {"mark": marks(keys)[0]},
            )
        mark = await known(db)
    why = difference(mark, keys, file)
    if why:
        raise SecretDiffers(why)
    if keys is not None and marks(keys)[0] != mark:
        await replace(db, keys)


async def replace(db: "Database", keys: "RootKeys") -> None:
    """Store the mark of the first of these keys, with which the nodes seal from now on. Raises what
    the database raises.
    """
    async with db.write() as conn:
        await conn.execute(
            text(
                "INSERT INTO secret_mark (id, mark) VALUES (1, :mark) "
                "ON CONFLICT (id) DO UPDATE SET mark = excluded.mark"
            ),
            {"mark": marks(keys)[0]},
        )


def difference(mark: str | None, keys: "RootKeys | None", file: str) -> str:
    """Return what is wrong with this node's keys and what to do; empty: nothing is."""
    if mark is None or (keys is not None and mark in marks(keys)):
        return ""
    here = "is another here" if keys is not None else "is not set here"
    return (
        f"the nodes of this database have a secret in common that {here}, so what one stores the "
        "other could not open: set TRIVIUM_SECRET to the same value on every node (without it each "
        f"makes its own in {file}, which may be copied from the node that has it). To give the "
        "former secret up, with all that it has sealed: `trivium migrate --new-secret`"
    )
