"""Videos as OpenAI's API has them, and servers that speak its shape.

A video is always asked for with a form, as the official SDKs do: not every server takes JSON.

Sources: openai-python 3.52.0 (``resources/videos.py``);
https://docs.vllm.ai/projects/vllm-omni/en/latest/serving/videos_api/ (forms only, no remix, no
variants); both read 2026-11-21.
"""

from typing import Final
from urllib.parse import quote

import msgspec

from trivium.providers.videos.dialect import Dialect, Errand, Film, Form, Picture
from trivium.wire.multipart import Part
from trivium.wire.videos import answer
from trivium.wire.videos.request import Asked
from trivium.wire.videos.resource import VIDEO


def _create(served: str, asked: Asked, model: str, picture: Picture | None) -> Errand:
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
    return Errand(method="POST", path=served, body=Form(tuple(parts)))


def _look(film: Film) -> Errand:
    return Errand(method="GET", path=_path(film))


def _content(film: Film, variant: str) -> Errand:
    query = {} if variant == VIDEO else {"variant": variant}
    return Errand(method="GET", path=f"{_path(film)}/content", query=query)


def _delete(film: Film) -> Errand:
    return Errand(method="DELETE", path=_path(film))


def _remix(film: Film, prompt: str) -> Errand:
    body = msgspec.json.encode({"prompt": prompt})
    return Errand(method="POST", path=f"{_path(film)}/remix", body=body)


def _path(film: Film) -> str:
    return f"{film.served}/{quote(film.id, safe='')}"


DIALECT: Final = Dialect(
    inline=False,
    keeps_s=None,
    create=_create,
    look=_look,
    read=answer.read,
    content=_content,
    delete=_delete,
    remix=_remix,
)
