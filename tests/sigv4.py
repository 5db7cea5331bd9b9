"""What botocore signs of a request, for the tests that hold ours equal to it."""

from datetime import UTC, datetime

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


def theirs(monkeypatch, request, content, parts, region, service):
    """What botocore signs of the same request; given the headers that we sign, as it signs all."""
    now = datetime.fromtimestamp(request.at, UTC)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: now)
    ours = {
        name: value
        for name, value in request.headers.items()
        if name in ("host", "content-type") or name.startswith("x-amz")
    }
    asked = AWSRequest(
        method=request.method,
        url=f"https://{request.host}{request.path}"
        + (f"?{request.query}" if request.query else ""),
        headers=ours,
        data=content,
    )
    keys = Credentials(parts["key_id"], parts["secret"], parts.get("session_token"))
    botocore.auth.SigV4Auth(keys, service, region).add_auth(asked)
    wanted = ("authorization", "x-amz-date", "x-amz-security-token")
    return {name.lower(): value for name, value in asked.headers.items() if name.lower() in wanted}
