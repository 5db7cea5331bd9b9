"""What the operator tells everybody: written here, seen on everybody's pages, dismissed there."""

import datetime as dt
from typing import Annotated, Final, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_
from trivium.identity.announcements.model import TEXT_CHARS_MAX, Level
from trivium.identity.errors import IdentityError

AT: Final = "/admin/announcements"
DAY_S: Final = 86_400
LEVELS: Final = {
    Level.INFO: N_("Information"),
    Level.WARN: N_("Warning"),
    Level.BAD: N_("Trouble"),
}
_WRONG: Final = {
    "ends_at": N_("It must end after it begins, and not in the past."),
    "announcements": N_("There are as many as can be kept. Remove one first."),
}
_FIELDS: Final = {"text": "text", "starts_at": "since", "ends_at": "until"}


class AnnouncementForm(forms.Form, frozen=True, kw_only=True):
    """What is said, how much it matters, and on which days, in UTC."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=TEXT_CHARS_MAX)]
    level: Literal["info", "warn", "bad"] = "info"
    since: dt.date | None = None
    until: dt.date | None = None


class AnnouncementIdForm(forms.Form, frozen=True, kw_only=True):
    """Which announcement is meant, and from which page."""

    announcement: forms.Id
    place: str = ""


@session.admin
async def show(request: Request) -> Response:
    """Show what was announced, and a form for more."""
    return await _page(request, forms.empty(AnnouncementForm, level="info"))


@session.admin
@session.recent_at(AT)
async def make(request: Request) -> Response:
    """Announce something, from now on or from a day on."""
    form = forms.filled(request, AnnouncementForm)
    wanted = form.value
    if wanted is None:
        return await _page(request, form, 422)
    try:
        await context.of(request).announcements.make(
            wanted.text,
            Level(wanted.level),
            None if wanted.since is None else _midnight(wanted.since),
            None if wanted.until is None else _midnight(wanted.until) + DAY_S,
            session.act_logger(request),
        )
    except IdentityError as error:
        said = _WRONG.get(error.field, N_("This is not written as it should be."))
        form.fail(_FIELDS.get(error.field, ""), said)
        return await _page(request, form, 422)
    return render.redirect(request, AT, N_("It is announced: everybody sees it within seconds."))


@session.admin
@session.recent_at(AT)
async def remove(request: Request) -> Response:
    """Remove an announcement for everybody."""
    form = forms.filled(request, AnnouncementIdForm).value
    number = form.announcement if form else 0
    try:
        await context.of(request).announcements.remove(number, session.act_logger(request))
    except IdentityError:
        said = N_("There is no such announcement any more.")
        return render.redirect(request, AT, said, tone="bad")
    return render.redirect(request, AT, N_("The announcement is removed."))


@session.signed_in
async def dismiss(request: Request) -> Response:
    """Show an announcement to this user no more, and go back to where they were."""
    form = forms.filled(request, AnnouncementIdForm).value
    if form is None:
        return render.redirect(request, session.HOME)
    user = session.user_of(request)
    await context.of(request).announcements.dismiss(form.announcement, user.id)
    return render.redirect(request, session.after(request, form.place))


def _midnight(day: dt.date) -> int:
    return int(dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC).timestamp())


async def _page(
    request: Request, form: forms.Filled[AnnouncementForm], status: int = 200
) -> Response:
    console = context.of(request)
    now = console.clock.now()
    return render.page(
        request,
        "admin/announcements.html",
        status=status,
        form=form,
        rows=[(each, each.state(now)) for each in await console.announcements.all()],
        levels=LEVELS,
        at=AT,
    )


PAGES: Final = (
    Route(AT, show),
    Route(AT, make, methods=["POST"]),
    Route(f"{AT}/remove", remove, methods=["POST"]),
    Route("/account/announcements/dismiss", dismiss, methods=["POST"]),
)
