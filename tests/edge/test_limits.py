"""The listening side's limits are the settings'."""

import pytest

from trivium.edge.limits import ServerLimits, check_head
from trivium.faults import Fault, Kind
from trivium.settings.model import ServerSettings


def test_defaults_are_the_settings_defaults():
    """A listener built without settings keeps the documented limits."""
    more = set(ServerLimits.__struct_fields__) - set(ServerSettings.__struct_fields__)
    assert more == {"linger_s", "half_closed_cancels"}
    assert ("cancel", True) == (ServerSettings().half_closed, ServerLimits().half_closed_cancels)


@pytest.mark.parametrize(("more", "lines"), [(0, 2), (-1, 2), (0, 1)])
def test_a_head_is_as_long_as_its_target_and_lines(more, lines):
    """With colon, space and line end; there are so many lines at most."""
    size = len(b"/a" + b"host: x\r\n" + b"a: \r\n")
    limits = ServerLimits(header_bytes_max=size + more, headers_max=lines)
    headers = [(b"host", b"x"), (b"a", b"")]
    if (more, lines) == (0, 2):
        check_head(b"/a", headers, limits)
        return
    with pytest.raises(Fault) as told:
        check_head(b"/a", headers, limits)
    assert Kind.HEADERS_TOO_LARGE is told.value.kind
