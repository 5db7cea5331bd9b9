"""What a change would come to: plans of the models, and requests that would find no way."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from trivium.catalogue.model import CatalogueKind, EntryDiff
from trivium.faults import Fault
from trivium.routing.explain import explain
from trivium.routing.model import Catalogue
from trivium.routing.router import Router
from trivium.wire.operation import Operation

MODELS_MAX: Final = 20
"""Models whose plans are told."""


class LostRequests(msgspec.Struct, frozen=True, kw_only=True):
    """Requests of the last hour that would not be served as they were."""

    model: str
    channel: str
    requests: int
    why: str
    """``the model is gone``, or why the channel would not serve it."""


def plans(catalogue: Catalogue, diffs: Sequence[EntryDiff]) -> list[dict[str, Any]]:
    """How the models that a change concerns would be routed, each by its first operation."""
    router = Router(catalogue, lambda: 0.0)
    out = []
    for name in _concerned(catalogue, diffs):
        model = catalogue.models.get(name)
        if model is None:
            out.append({"model": name, "gone": True})
            continue
        served = model.operations()
        operation = next((each for each in Operation if each in served), Operation.CHAT)
        try:
            out.append(explain(router, operation, name))
        except Fault as fault:
            out.append({"model": name, "refused": {"message": fault.message}})
    return out


def _concerned(catalogue: Catalogue, diffs: Sequence[EntryDiff]) -> list[str]:
    """Models that are changed, and those at channels that are; a bounded number of them."""
    names = {diff.at.name for diff in diffs if diff.at.kind == CatalogueKind.MODEL.value}
    channels = {diff.at.name for diff in diffs if diff.at.kind == CatalogueKind.CHANNEL.value}
    if channels:
        names |= {
            model.name
            for model in catalogue.models.values()
            if any(binding.channel.name in channels for binding in model.bindings)
        }
    return sorted(names)[:MODELS_MAX]


def lost(catalogue: Catalogue, served: Iterable[tuple[str, str, int]]) -> list[LostRequests]:
    """Of what was served, as (model, channel, requests), what would not be served so; those of most
    requests first.
    """
    found = []
    for name, channel, requests in served:
        why = _why(catalogue, name, channel)
        if why:
            found.append(LostRequests(model=name, channel=channel, requests=requests, why=why))
    return sorted(found, key=lambda each: (-each.requests, each.model, each.channel))


def _why(catalogue: Catalogue, name: str, channel: str) -> str:
    model = catalogue.models.get(name)
    if model is None:
        return "the model is gone"
    if any(binding.channel.name == channel for binding in model.bindings):
        return ""
    if not model.bindings:
        return "the model has no channel that is switched on"
    if channel not in catalogue.channels:
        return "the channel is gone or switched off; others serve the model"
    return "the model is not bound to the channel any more; others serve it"
