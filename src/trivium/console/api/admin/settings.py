"""``/api/admin/settings``: every setting with where it was given. Secrets never."""

from typing import Any, Final

import msgspec

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiMethod, resource
from trivium.console.api.answer import ApiError
from trivium.console.context import Console
from trivium.routing.reload import LIVE
from trivium.settings.model import Settings
from trivium.settings.origins import APART, SettingOrigin, origins
from trivium.settings.source import SettingsSource


async def listing(asked: AdminRequest) -> Any:
    """The settings as they were read last; of one table when it is named."""
    section = paging.text(asked, "section")
    known = [name for name in Settings.__struct_fields__ if name not in APART]
    if section is not None and section not in known:
        raise ApiError(400, f"section: must be one of {', '.join(known)}")
    return {
        "settings": [
            {**msgspec.to_builtins(one), "waits_for_restart": waits}
            for one, waits in read_last(asked.console)
            if section is None or table_of(one) == section
        ]
    }


def read_last(console: Console) -> list[tuple[SettingOrigin, bool]]:
    """The settings as they were read last, each with whether it waits for a restart."""
    read, source = console.gateway.settings()
    began = {one.name: one.value for one in origins(console.settings, _NOWHERE)}
    return [(one, _waits(one, began)) for one in origins(read, source)]


def table_of(one: SettingOrigin) -> str:
    """The table of the file that a setting is in."""
    return one.name.partition(".")[0].partition("[")[0]


def _waits(one: SettingOrigin, began: dict[str, Any]) -> bool:
    """Whether the process still has another value, with which it began."""
    if one.is_secret or one.name in LIVE or one.name.partition(".")[0] in LIVE:
        return False
    return one.name not in began or began[one.name] != one.value


_NOWHERE: Final = SettingsSource(name="")
ENDPOINTS: Final = (
    resource("/api/admin/settings", GET=ApiMethod(listing, query=frozenset({"section"}))),
)
