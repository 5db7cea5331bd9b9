"""``[assets]``: where generated files lie."""

from trivium.settings.section import Section


class Assets(Section, frozen=True):
    """Where generated images and videos lie until they expire."""

    url: str = ""
    """``file:///FOLDER`` or ``s3://BUCKET/PREFIX``; empty: the folder ``assets`` beside that of
    ``storage.journal``, which several nodes do not share."""
    endpoint: str | None = None
    """Of an S3-compatible store; ``None``: Amazon's own."""
    region: str = "us-east-1"
    """Of the bucket; most S3-compatible stores take any."""
    access_key: str | None = None
    """``env:NAME``, ``file:PATH`` or the key id itself; ``None``: the machine's own role."""
    secret_key: str | None = None
    """The same for the key's secret half."""
