"""Plans for one catalogue. A reload makes a new router; a request keeps the one it began with."""

from collections.abc import Callable, Iterable

from trivium.faults import Fault, Kind
from trivium.routing.candidates import Candidates
from trivium.routing.model import Catalogue, Channel, Model, Plan, Step
from trivium.routing.policy import candidates, order
from trivium.wire.operation import TITLES, Operation


class Router:
    """Finds models and plans requests over one catalogue.

    ``draw`` gives numbers from 0 to below 1, as ``random.random`` does.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        draw: Callable[[], float],
        expected: Callable[[str, str], float] | None = None,
    ) -> None:
        """``expected``: seconds to the first byte of (channel, its own model name)."""
        self.catalogue = catalogue
        self._models = catalogue.models
        self._draw = draw
        self._seconds = expected
        self._found: dict[tuple[str, Operation], tuple[Model, Candidates]] = {}

    def find(self, name: str) -> Model:
        """The model of a public name. Raises ``Fault`` (MODEL_UNKNOWN)."""
        model = self._models.get(name)
        if model is None:
            raise Fault(
                Kind.MODEL_UNKNOWN,
                f"The model `{name[:200]}` is not available on this gateway. "
                "GET /v1/models lists those that are.",
                param="model",
            )
        return model

    def models(self) -> Iterable[Model]:
        """Every model, in the order of the file."""
        return self._models.values()

    def channels(self) -> Iterable[Channel]:
        """Every configured channel, in the operator's order."""
        return self.catalogue.channels.values()

    def channel(self, name: str) -> Channel | None:
        """A configured channel; ``None`` when there is none of this name."""
        return self.catalogue.channels.get(name)

    def plan(self, model: Model, operation: Operation, key: bytes = b"") -> Plan:
        """Ordered channels for one request; at least one step.

        ``key``: what keeps requests that share a prompt cache together; empty: nothing does.
        Raises ``Fault``: NO_ROUTE when the model has no channel at all, UNREPRESENTABLE when it
        has some but none of them serves this operation.
        """
        known = self._found.get((model.name, operation))
        # what does not depend on chance is worked out once a catalogue
        if known is None or known[0] is not model:
            found = candidates(model, operation)
            if self._models.get(model.name) is model:
                self._found[model.name, operation] = (model, found)
        else:
            found = known[1]
        plan = found.only
        if plan is None:
            expected = self._expected if self._seconds is not None else None
            return order(found, self._draw, key=key, expected=expected)
        if not plan.steps:
            raise no_route(model, operation)
        return plan

    def _expected(self, step: Step) -> float:
        assert self._seconds is not None
        return self._seconds(step.binding.channel.name, step.binding.model)


def no_route(model: Model, operation: Operation) -> Fault:
    """Why no binding of a model serves an operation, and what it does serve."""
    if not model.bindings:
        return Fault(
            Kind.NO_ROUTE,
            f"The model `{model.name}` has no channel that is switched on. Try again later.",
        )
    served = [TITLES[other] for other in Operation if other in model.operations()]
    listed = ", ".join(served) or "nothing that callers can ask for"
    return Fault(
        Kind.UNREPRESENTABLE,
        f"The model `{model.name}` does not serve {TITLES[operation]} on this gateway. "
        f"It serves: {listed}.",
        param="model",
    )
