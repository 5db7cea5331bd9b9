"""The images operations, one row each."""

from typing import Final

from trivium.edge.openapi.row import BEARER, Row

IMAGES: Final = (
    Row(
        method="POST",
        path="/v1/images/generations",
        name="createImage",
        tag="images",
        about="Draws pictures.",
        request="CreateImageRequest",
        answer="ImagesResponse",
        event="ImageStreamEvent",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/images/edits",
        name="createImageEdit",
        tag="images",
        about="Draws pictures out of others: as files of a form, or named in JSON.",
        request="EditImageRequest",
        form="EditImageForm",
        answer="ImagesResponse",
        event="ImageStreamEvent",
        keys=BEARER,
    ),
    Row(
        method="POST",
        path="/v1/images/variations",
        name="createImageVariation",
        tag="images",
        about="Draws variations of a picture.",
        form="VaryImageForm",
        answer="ImagesResponse",
        keys=BEARER,
    ),
)
