"""Price groups: what their users pay of the list price."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.catalogue.model import CatalogueKind
from trivium.console import context, forms, render, session
from trivium.console.catalogue import entries, saving
from trivium.console.catalogue.changing import Fields
from trivium.console.catalogue.entries import ShownEntry
from trivium.console.catalogue.saving import SavedForm
from trivium.console.language import N_

LIST: Final = "/admin/groups"
NEW: Final = "/admin/groups/new"
EDIT: Final = "/admin/groups/edit"
PAGE: Final = 100


@session.admin
async def show_all(request: Request) -> Response:
    """Show all price groups."""
    start = entries.start_of(request)
    found = await entries.listed(context.of(request), CatalogueKind.GROUP)
    more = start + PAGE if start + PAGE < len(found) else None
    return render.page(
        request,
        "catalogue/groups.html",
        groups=found[start : start + PAGE],
        **render.paging(LIST, {}, "from", start, more),
    )


@session.admin
async def show_new(request: Request) -> Response:
    """Show the form of a new one."""
    return _form(request, forms.empty(forms.Form), None)


@session.admin
async def create(request: Request) -> Response:
    """Try the form's group, or make it."""
    return await _save(request, forms.filled(request, forms.Form), None)


@session.admin
async def show(request: Request) -> Response:
    """Show the form of a group of the database."""
    found = await saving.opened(request, CatalogueKind.GROUP)
    form = forms.empty(forms.Form, factor=found.document, version=str(found.version))
    return _form(request, form, found)


@session.admin
async def save(request: Request) -> Response:
    """Try what the form says of a group, or save it. One that is gone meanwhile is told."""
    return await _save(request, *await saving.sent(request, CatalogueKind.GROUP))


async def _save(request: Request, form: Fields, entry: ShownEntry | None) -> Response:
    name = form.first("name").strip() if entry is None else entry.name
    at = entries.named(CatalogueKind.GROUP, name)
    done = await saving.saved(request, form, at, form.first("factor").strip())
    if not done.is_saved:
        if done.status == 422 and not {"name", "factor"} & set(form.errors):
            form.errors = {"factor": next(iter(form.errors.values()))}
        return _form(request, form, entry, done)
    return render.redirect(request, LIST, N_("%(name)s is saved."), name=name)


def _form(
    request: Request, form: Fields, entry: ShownEntry | None, done: SavedForm | None = None
) -> Response:
    return render.page(
        request,
        "catalogue/group.html",
        status=200 if done is None else done.status,
        form=form,
        entry=entry,
        **saving.told(form, done, {"name", "factor", "reason"}, request),
    )


PAGES: Final = (
    Route(LIST, show_all, methods=["GET"]),
    Route(NEW, show_new, methods=["GET"]),
    Route(NEW, create, methods=["POST"]),
    Route(EDIT, show, methods=["GET"]),
    Route(EDIT, save, methods=["POST"]),
)
