"""Model lists and single models, in the shape the caller speaks."""

from urllib.parse import parse_qsl

from trivium.edge.exchange import Exchange
from trivium.edge.routes import ModelListRoute
from trivium.faults import Fault
from trivium.pipeline.model_operations import operations_of
from trivium.pipeline.services import Services
from trivium.routing.model import Model
from trivium.wire import models
from trivium.wire.models import ListedModel
from trivium.wire.operation import Shape


def shape_for(exchange: Exchange, target: ModelListRoute) -> Shape:
    """In whose words to answer."""
    return models.shape_for(_headers(exchange), _query(exchange), target.google)


def answer(exchange: Exchange, target: ModelListRoute, services: Services) -> None:
    """Answer with the list or the model, or with why not."""
    try:
        body = render(exchange, target, services)
    except Fault as fault:
        exchange.fail(fault)
    else:
        exchange.answer(200, body)


def render(exchange: Exchange, target: ModelListRoute, services: Services) -> bytes:
    """The list or the model as JSON: only what the key may use. Raises ``Fault``."""
    caller = exchange.caller
    assert caller is not None
    shape = exchange.shape or Shape.CHAT
    listed = [_listed(m) for m in services.router.models() if caller.may_use(m.name)]
    if target.model is not None:
        return models.one(shape, listed, target.model)
    return models.many(shape, listed, _query(exchange))


def _listed(model: Model) -> ListedModel:
    return ListedModel(
        id=model.name,
        created=model.created,
        owned_by=model.owned_by,
        title=model.title,
        context_max=model.context_max,
        output_max=model.output_max,
        operations=operations_of(model),
    )


def _headers(exchange: Exchange) -> dict[str, str]:
    return {n.decode("latin-1"): v.decode("latin-1") for n, v in exchange.headers.items()}


def _query(exchange: Exchange) -> dict[str, str]:
    return dict(parse_qsl(exchange.query.decode("latin-1"), keep_blank_values=True))
