"""What an editor has read, beside what is there: of two editors the second is told. Pure."""

from collections.abc import Sequence

from trivium.catalogue.model import (
    CatalogueEntry,
    EntryDiff,
    EntryName,
    Revision,
    StaleError,
    UnconditionalError,
)


def check_entry(
    at: EntryName, version: int | None, *, absent: bool, now: CatalogueEntry | None
) -> None:
    """Raises StaleError and UnconditionalError where an editor has not read what is there now.
    ``version``: what was read; ``absent``: that there was none.
    """
    if absent:
        if now is not None:
            raise StaleError(f"{at} is there already: {_whose(now)}")
    elif version is not None:
        if now is None or now.version != version:
            raise StaleError(since(at, now))
    elif now is not None:
        raise UnconditionalError(
            f'{at} is there, and this would change it: send If-Match: "{now.version}" if that '
            "is the version you have read"
        )


def check_revision(read_at: int | None, revision: Revision, diffs: Sequence[EntryDiff]) -> None:
    """Raises as ``check_entry``, for whoever has read everything at a revision."""
    if read_at is None and any(diff.before is not None for diff in diffs):
        raise UnconditionalError(
            f"this would change what is there: send the revision that you have read, which is "
            f"{revision.value} now"
        )
    if read_at is not None and read_at != revision.value:
        raise StaleError(
            f"the catalogue was changed since revision {read_at}: it is at {revision.value}; read "
            "it again"
        )


def since(at: EntryName, now: CatalogueEntry | None) -> str:
    """Words for whoever has read an entry that is another now."""
    if now is None:
        return f"{at} is not there any more"
    return f"{at} was changed since: {_whose(now)}"


def _whose(now: CatalogueEntry) -> str:
    """Version, who and when, for whoever has to decide."""
    who = "nobody who has an account" if now.updated_by is None else f"user {now.updated_by}"
    return (
        f"it has version {now.version}, by {who} at {now.updated_ms // 1000} (seconds since 1970)"
    )
