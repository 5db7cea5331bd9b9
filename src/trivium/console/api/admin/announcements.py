"""``/api/admin/announcements``: what everybody sees on their pages, made and removed."""

from typing import Annotated, Any, Final

import msgspec

from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource
from trivium.console.api.answer import ApiError
from trivium.identity.announcements.model import MOMENT_MAX, TEXT_CHARS_MAX, Announcement, Level
from trivium.identity.errors import IdentityError

Moment = Annotated[int, msgspec.Meta(ge=0, le=MOMENT_MAX)]


class NewAnnouncement(ApiBody, frozen=True, kw_only=True):
    """What is said, how much it matters, and when it is shown."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=TEXT_CHARS_MAX)]
    level: Level = Level.INFO
    starts_at: Moment | None = None
    """``None``: at once."""
    ends_at: Moment | None = None
    """``None``: once it is removed."""


async def listing(asked: AdminRequest) -> Any:
    """All that are kept, newest first."""
    return {
        "announcements": [_shown(asked, each) for each in await asked.console.announcements.all()]
    }


async def make(asked: AdminRequest) -> Any:
    """Announce something; answers with it."""
    wanted: NewAnnouncement = asked.body
    made = await asked.console.announcements.make(
        wanted.text, wanted.level, wanted.starts_at, wanted.ends_at, asked.log.within
    )
    return _shown(asked, made)


async def remove(asked: AdminRequest) -> Any:
    """Remove an announcement for everybody; answers with nothing."""
    number = asked.number("announcement")
    try:
        await asked.console.announcements.remove(number, asked.log.within)
    except IdentityError as error:
        raise ApiError(404, str(error)) from None


def _shown(asked: AdminRequest, each: Announcement) -> dict[str, Any]:
    return {
        "id": each.id,
        "text": each.text,
        "level": each.level.value,
        "starts_at": each.starts_at,
        "ends_at": each.ends_at,
        "state": each.state(asked.console.clock.now()),
        "created_at": each.created_at,
    }


_PATH: Final = "/api/admin/announcements"
ENDPOINTS: Final = (
    resource(_PATH, GET=ApiMethod(listing), POST=ApiMethod(make, NewAnnouncement)),
    resource(f"{_PATH}/{{announcement}}", DELETE=ApiMethod(remove)),
)
