"""The hooks of the packages that the settings name."""

from collections.abc import Sequence
from typing import Final, Protocol

import msgspec
import structlog

from trivium.observe.record import Record
from trivium.plugin.hook import AfterHook, BeforeHook
from trivium.settings.errors import SettingsError
from trivium.settings.model import Settings
from trivium.settings.packages import HOOKS, brought

log = structlog.get_logger(__name__)


class Hooks(msgspec.Struct, frozen=True):
    """What is called for each request, in the order of the packages."""

    before: tuple[BeforeHook, ...] = ()
    after: tuple[AfterHook, ...] = ()


NO_HOOKS: Final = Hooks()


class Recorder(Protocol):
    """Takes records: the real one, and the one that has hooks told."""

    def add(self, record: Record) -> None:
        """Queue one; never waits."""
        ...


class HookedRecorder:
    """A recorder beside which hooks are told."""

    def __init__(self, recorder: Recorder, hooks: Sequence[AfterHook]) -> None:
        self._recorder = recorder
        self._hooks = hooks

    def add(self, record: Record) -> None:
        """Queue a record, and tell a copy to each hook. Never raises for one of them."""
        self._recorder.add(record)
        for hook in self._hooks:
            try:
                hook.after(msgspec.structs.replace(record))
            except Exception:
                log.exception("hook_failed", hook=type(hook).__name__, request_id=record.request_id)


def hooks_of(settings: Settings) -> Hooks:
    """The hooks to be called. Raises SettingsError for a package that brings something else."""
    found = brought(settings.plugins.enabled, HOOKS)
    for name, hook in found:
        if isinstance(hook, type) or not (hasattr(hook, "before") or hasattr(hook, "after")):
            raise SettingsError(
                f"plugins.enabled: {name} is no hook: it has neither before nor after"
            )
    return Hooks(
        tuple(hook for _, hook in found if hasattr(hook, "before")),
        tuple(hook for _, hook in found if hasattr(hook, "after")),
    )


def with_hooks(recorder: Recorder, hooks: Hooks) -> Recorder:
    """The recorder itself where no hook wants to be told."""
    return HookedRecorder(recorder, hooks.after) if hooks.after else recorder
