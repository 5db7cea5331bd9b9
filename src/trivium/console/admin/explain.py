"""What would become of a request: its channels in order, what each would be sent, and its price."""

from typing import Annotated, Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_, text
from trivium.faults import Fault
from trivium.pipeline.explain import ExplainRequest
from trivium.wire.operation import EXPLAINED, STREAMED_AS, TITLES, Operation

AT: Final = "/admin/explain"
SHOWN_MAX: Final = 20_000
"""Characters of a body that a page shows."""
EXAMPLE: Final = '{\n  "messages": [{"role": "user", "content": "Hello"}]\n}'


class ExplainForm(forms.Form, frozen=True, kw_only=True):
    """A request as it would be posted, and its shape. The model may stand in the body."""

    shape: Operation = Operation.CHAT
    model: Annotated[str, msgspec.Meta(max_length=200)] = ""
    body: Annotated[str, msgspec.Meta(max_length=50_000)] = ""
    stream: bool = False
    strict: bool = False


@session.admin
async def show(request: Request) -> Response:
    """Show the form, with a first request to begin with."""
    model = request.query_params.get("model", "")[:200]
    return _page(request, forms.empty(ExplainForm, shape="chat", model=model, body=EXAMPLE))


@session.admin
async def explain(request: Request) -> Response:
    """Rehearse what the form says: nothing is sent, held or booked."""
    form = forms.filled(request, ExplainForm)
    wanted = form.value
    if wanted is not None and wanted.shape not in EXPLAINED:
        form.fail("shape", N_("Please choose one of what is offered."))
    if wanted is not None and wanted.shape in STREAMED_AS and not wanted.model:
        form.fail("model", N_("A request of this shape has its model in the path: name it."))
    wanted = form.value
    if wanted is None:
        return _page(request, form, status=422)
    operation = STREAMED_AS.get(wanted.shape, wanted.shape) if wanted.stream else wanted.shape
    body = wanted.body.strip() or "{}"
    asked = ExplainRequest(
        operation=operation, body=body.encode(), model=wanted.model, strict=wanted.strict
    )
    try:
        found = await context.of(request).gateway.explained(asked)
    except Fault as fault:
        form.fail("", text("%(words)s", words=fault.message))
        return _page(request, form, status=422)
    return _page(request, form, found)


def _page(
    request: Request,
    form: forms.Filled[ExplainForm],
    found: dict[str, Any] | None = None,
    status: int = 200,
) -> Response:
    return render.page(
        request,
        "admin/explain.html",
        status=status,
        form=form,
        found=found,
        shown=shown,
        shapes=[(each.value, TITLES[each]) for each in EXPLAINED],
        at=AT,
    )


def shown(body: Any) -> str:
    """What a channel would be sent, as text to read; the beginning of what is long."""
    said = bytes(body) if isinstance(body, msgspec.Raw) else msgspec.json.encode(body)
    read = msgspec.json.format(said, indent=2).decode()
    return read if len(read) <= SHOWN_MAX else f"{read[:SHOWN_MAX]}…"


PAGES: Final = (Route(AT, show), Route(AT, explain, methods=["POST"]))
