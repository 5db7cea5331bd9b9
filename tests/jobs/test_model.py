"""What a job is to its owner."""

import msgspec
import pytest

from jobs.conftest import ACCOUNT
from trivium.jobs.model import Job
from trivium.wire.videos.answer import Status

JOB = Job(
    id="video_1", user_id=3, key_id=1, request_id="r", model="m", account=ACCOUNT,
    upstream_id="up_1", file="files/secret", size="720x1280", seconds=4, prompt="x", created_at=1,
)  # fmt: skip


def test_a_resource_has_nothing_of_the_upstreams():
    """Neither ids nor names."""
    shown = msgspec.json.encode(JOB.resource)
    for hidden in (b"up_1", b"own", b"secret", ACCOUNT.credential.encode() + b'"'):
        assert hidden not in shown


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (Status.QUEUED, False),
        (Status.IN_PROGRESS, False),
        (Status.COMPLETED, True),
        (Status.FAILED, True),
    ],
)
def test_two_states_are_final(status, expected):
    """The others are not."""
    assert expected is msgspec.structs.replace(JOB, status=status).is_final
