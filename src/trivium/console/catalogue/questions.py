"""What is done by one button: paused, resumed, deleted, undone; after what would come of it."""

from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.catalogue.documents import DocumentError
from trivium.catalogue.model import AbsentError, CatalogueError, CatalogueKind, EntryName
from trivium.catalogue.planning import ChangeResult
from trivium.catalogue.service import Condition, EntryEdit
from trivium.console import context, forms, render, session
from trivium.console.catalogue import changing, entries
from trivium.console.catalogue.changing import ChangePreview, Fields, StaleEdit
from trivium.console.language import N_

PATH: Final = "/admin/catalogue/ask"
LISTS: Final = {
    CatalogueKind.CHANNEL: "/admin/channels",
    CatalogueKind.MODEL: "/admin/models",
    CatalogueKind.GROUP: "/admin/groups",
    CatalogueKind.ROUTING: "/admin/routing",
}
CHANGES: Final = "/admin/changes"
_WORDS: Final = {
    "pause": (N_("Pause %(name)s?"), N_("Pause"), N_("%(name)s is paused.")),
    "resume": (N_("Resume %(name)s?"), N_("Resume"), N_("%(name)s is called again.")),
    "delete": (N_("Delete %(name)s?"), N_("Delete"), N_("%(name)s is deleted.")),
    "undo": (N_("Undo change %(name)s?"), N_("Undo"), N_("Change %(name)s is undone.")),
}
_KINDS: Final = {kind.value: kind for kind in CatalogueKind}


class AskedAct(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody is about to do."""

    act: str
    at: EntryName | None = None
    """``None``: it is a change that is undone."""
    change: int = 0
    version: int = 0
    """Of the entry that is meant; 0: as it is now."""

    @property
    def name(self) -> str:
        """What the question calls it."""
        return str(self.change) if self.at is None else self.at.name

    @property
    def fields(self) -> dict[str, str]:
        """As the form carries it."""
        if self.at is None:
            return {"act": self.act, "change": str(self.change)}
        found = {"act": self.act, "kind": self.at.kind, "name": self.at.name}
        return found | {"version": str(self.version)}

    @property
    def back(self) -> str:
        """The list that it came from."""
        return CHANGES if self.at is None else LISTS[CatalogueKind(self.at.kind)]


@session.admin
async def show(request: Request) -> Response:
    """Ask whether it is meant, with all that would come of it."""
    query = {name: [value] for name, value in request.query_params.items()}
    form = forms.Filled(forms.Form, query)
    return await _question(request, await _asked(request, form), forms.empty(forms.Form))


@session.admin
async def act(request: Request) -> Response:
    """Do it, unless something was changed since it was asked."""
    form = forms.filled(request, forms.Form)
    asked = await _asked(request, form)
    done = await _done(request, asked, form, dry_run=False)
    if done is None or isinstance(done, StaleEdit):
        now = msgspec.structs.replace(asked, version=0)
        if asked.at is not None:
            now = msgspec.structs.replace(asked, version=await _version(request, asked.at))
        return await _question(request, now, form, isinstance(done, StaleEdit), status=409)
    said = _WORDS[asked.act][2]
    return render.redirect(request, asked.back, said, name=asked.name)


async def _version(request: Request, at: EntryName) -> int:
    """Of an entry of the database. Raises HTTPException (404)."""
    found = await changing.version_now(context.of(request), at)
    if found is None:
        raise HTTPException(404)
    return found


async def _asked(request: Request, form: Fields) -> AskedAct:
    """What is asked for. Raises HTTPException (404) where there is nothing of the kind."""
    said, kind, name = form.first("act"), _KINDS.get(form.first("kind")), form.first("name")[:200]
    if said == "undo":
        change = form.first("change")
        if not (change.isascii() and change.isdigit()) or len(change) > forms.DIGITS_MAX:
            raise HTTPException(404)
        return AskedAct(act=said, change=int(change))
    if (
        said not in _WORDS
        or kind is None
        or (said != "delete" and kind is not CatalogueKind.CHANNEL)
    ):
        raise HTTPException(404)
    at = EntryName(kind.value, name)
    version = changing.version(form)
    return AskedAct(
        act=said, at=at, version=version or await _version(request, at)
    )  # fmt: skip


async def _done(
    request: Request, asked: AskedAct, form: Fields, *, dry_run: bool
) -> ChangeResult | StaleEdit | None:
    """Do it, or only try; ``None``: it is refused, and the form says why."""
    console = context.of(request)
    if asked.at is None:
        try:
            return await console.catalogue.undo(
                asked.change,
                entries.author(request),
                reason=form.first("reason").strip(),
                dry_run=dry_run,
            )
        except AbsentError:
            raise HTTPException(404) from None
        except (CatalogueError, DocumentError) as error:
            form.fail("", changing.spoken(str(error)))
            return None
    document: Any = None
    if asked.act != "delete":
        entry = await entries.one(console, asked.at)
        if entry is None or entry.place:
            raise HTTPException(404)
        document = {name: each for name, each in entry.document.items() if name != "disabled"}
        if asked.act == "pause":
            document["disabled"] = True
    wanted = EntryEdit(
        at=asked.at, document=document, condition=Condition(version=asked.version)
    )  # fmt: skip
    return await changing.made(request, wanted, form, dry_run=dry_run)


async def _question(
    request: Request, asked: AskedAct, form: Fields, stale: bool = False, status: int = 200
) -> Response:
    """The page with the question."""
    console = context.of(request)
    tried = forms.empty(forms.Form, reason="")
    result = await _done(request, asked, tried, dry_run=True)
    if isinstance(result, StaleEdit):  # once more, between two looks
        raise HTTPException(404)
    found: ChangePreview | None = None
    if result is None:
        form.errors.update(tried.errors)
        status = 409
    else:
        found = await changing.preview(console, result)
    title, yes, _ = _WORDS[asked.act]
    return render.page(
        request,
        "catalogue/question.html",
        status=status,
        form=form,
        asked=asked,
        title=title,
        yes=yes,
        stale=stale,
        preview=found,
        above=list(form.errors.values()),
        at=PATH,
    )


PAGES: Final = (
    Route(PATH, show, methods=["GET"]),
    Route(PATH, act, methods=["POST"]),
)
