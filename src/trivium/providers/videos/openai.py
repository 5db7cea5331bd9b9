"""Videos as OpenAI's API has them, and servers that speak its shape.

A video is always asked for with a form, as the official SDKs do: not every server takes JSON.

Sources: openai-python 3.52.0 (``resources/videos.py``);
https://docs.vllm.ai/projects/vllm-omni/en/latest/serving/videos_api/ (forms only, no remix, no
variants); both read 2026-11-21.
"""

from typing import Final
from urllib.parse import quote

import msgspec

from trivium.providers.videos.protocol import (
    FormBody,
    ReferencePicture,
    UpstreamVideo,
    VendorCall,
    VideoProtocol,
)
from trivium.wire.multipart import Part
from trivium.wire.videos import answer
from trivium.wire.videos.request import VideoRequest
from trivium.wire.videos.resource import VIDEO


def _create(
    served: str, asked: VideoRequest, model: str, picture: ReferencePicture | None
) -> VendorCall:
    del picture
    fields = {
        "model": model,
        "prompt": asked.prompt,
        "seconds": str(asked.seconds),
        "size": asked.size,
    }
    parts = [Part(name=name, value=value.encode()) for name, value in fields.items()]
    reference = asked.reference
    if reference is not None and reference.part is not None:
        parts.append(msgspec.structs.replace(reference.part, name="input_reference"))
    elif reference is not None:
        parts.append(Part(name="input_reference[image_url]", value=reference.url.encode()))
    return VendorCall(method="POST", path=served, body=FormBody(tuple(parts)))


def _look(video: UpstreamVideo) -> VendorCall:
    return VendorCall(method="GET", path=_path(video))


def _content(video: UpstreamVideo, variant: str) -> VendorCall:
    query = {} if variant == VIDEO else {"variant": variant}
    return VendorCall(method="GET", path=f"{_path(video)}/content", query=query)


def _delete(video: UpstreamVideo) -> VendorCall:
    return VendorCall(method="DELETE", path=_path(video))


def _remix(video: UpstreamVideo, prompt: str) -> VendorCall:
    body = msgspec.json.encode({"prompt": prompt})
    return VendorCall(method="POST", path=f"{_path(video)}/remix", body=body)


def _path(video: UpstreamVideo) -> str:
    return f"{video.served}/{quote(video.id, safe='')}"


PROTOCOL: Final = VideoProtocol(
    inline=False,
    keeps_s=None,
    create=_create,
    look=_look,
    read=answer.read,
    content=_content,
    delete=_delete,
    remix=_remix,
)
