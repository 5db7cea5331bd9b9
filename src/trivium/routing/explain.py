"""A plan in plain data, for people who ask why a request goes where it goes. No secrets."""

from typing import Any

from trivium.providers.address import target
from trivium.routing.model import Binding, Model, Skip, Step
from trivium.routing.policy import plan
from trivium.routing.router import Router, no_route
from trivium.wire.operation import SHAPE, TITLES, TOKEN_COUNTS, Operation


def explain(router: Router, operation: Operation, model_name: str) -> dict[str, Any]:
    """The plan of one operation on one model, heaviest binding first within a priority.

    ``fallbacks``: the same of each model that may answer in its place, in order. ``refused`` says
    why nothing would be called; ``None`` when something would, or when the gateway answers by an
    ``estimated`` count of its own. Raises ``Fault`` (MODEL_UNKNOWN).
    """
    model = router.find(model_name)
    names = () if operation in TOKEN_COUNTS else model.fallbacks
    return {
        **_of(router, operation, model),
        "fallbacks": [_of(router, operation, router.find(name)) for name in names],
    }


def _of(router: Router, operation: Operation, model: Model) -> dict[str, Any]:
    """One model's own plan."""
    found = plan(model, operation, lambda: 0.0)
    steps = sorted(
        found.steps,
        key=lambda step: (
            step.binding.priority,
            step.operation is not operation,
            -step.binding.weight,
        ),
    )
    estimated = not steps and operation in TOKEN_COUNTS
    refused = None if steps or estimated else no_route(model, operation)
    return {
        "model": model.name,
        "operation": operation.value,
        "asked_for": TITLES[operation],
        "revision": router.catalogue.revision,
        "steps": [_step(step) for step in steps],
        "skipped": [_skip(skip) for skip in found.skipped],
        "estimated": estimated,
        "refused": refused and {"status": refused.status, "message": refused.message},
    }


def _step(step: Step) -> dict[str, Any]:
    channel = step.binding.channel
    *_, path = target(channel.provider, channel.base_url, step.operation, step.binding.model)
    return {
        **_target(step.binding),
        "operation": step.operation.value,
        "shape": SHAPE[step.operation].value,
        "path": path,
        "priority": step.binding.priority,
        "weight": step.binding.weight,
        "why": step.why,
    }


def _skip(skip: Skip) -> dict[str, Any]:
    return {**_target(skip.binding), "why": skip.why}


def _target(binding: Binding) -> dict[str, Any]:
    return {
        "channel": binding.channel.name,
        "provider": binding.channel.provider.name,
        "upstream_model": binding.model,
    }
