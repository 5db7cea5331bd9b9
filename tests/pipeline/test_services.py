"""What the context asks of the edge and of its services is what they are."""

import asyncio
import inspect

import pytest

from edge.wires import asked
from trivium.edge.exchange import Exchange as RealExchange
from trivium.pipeline.services import Exchange, Services
from trivium.pipeline.structs import Route
from trivium.wire.operation import Operation


def test_the_real_exchange_has_everything_the_story_asks_for():
    """A protocol is checked by mypy where it is used; here, that it is whole."""
    exchange = asked()
    wanted = set(Exchange.__annotations__) | {
        name for name in vars(Exchange) if not name.startswith("_")
    }
    assert {"begun", "congested", "answer", "fail", "flow", "caller"} <= wanted
    assert [] == [name for name in sorted(wanted) if not hasattr(exchange, name)]
    assert isinstance(exchange, RealExchange)


@pytest.mark.asyncio
async def test_services_are_closed_but_their_router_is_swapped():
    """A reload puts a new router in; a misspelt service is noticed."""
    loop = asyncio.get_running_loop()
    names = set(inspect.signature(Services).parameters) - {"router", "loop"}
    services = Services(router="old", loop=loop, **dict.fromkeys(names))
    services.router = "new"
    assert ("new", loop.time) == (services.router, services.time)
    with pytest.raises(AttributeError):
        services.ruoter = "newer"


def test_a_route_is_a_value():
    """Shared by all requests of a path, so nobody may change it."""
    route = Route(operation=Operation.CHAT)
    assert Route(operation=Operation.CHAT, model="", array=False) == route
    with pytest.raises(AttributeError):
        route.model = "m"
