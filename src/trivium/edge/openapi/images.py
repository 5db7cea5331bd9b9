"""The images shape: its operations and their schemas.

Source: the service specification, "Image generation request" and "response"; stream events from
openai-python 3.52.0, read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas

ABOUT: Final = "Pictures."

OPERATIONS: Final = operations("""
images
POST /v1/images/generations createImage "Draws pictures." request=CreateImageRequest
  answer=ImagesResponse event=ImageStreamEvent
POST /v1/images/edits createImageEdit "Draws pictures out of others: as files of a form, or named in
  JSON." request=EditImageRequest form=EditImageForm answer=ImagesResponse event=ImageStreamEvent
POST /v1/images/variations createImageVariation "Draws variations of a picture." form=VaryImageForm
  answer=ImagesResponse
""")

SCHEMAS: Final = schemas("""
usage = {
  input_tokens!: int, output_tokens!: int, total_tokens!: int,
  input_tokens_details: {text_tokens: int, image_tokens: int},
  output_tokens_details: {text_tokens: int, image_tokens: int}
}
made = {
  background: 'transparent' | 'opaque' | 'auto', output_format: 'png' | 'webp' | 'jpeg',
  size: text "`1024x1024`", quality: text "`low`, `medium` or `high`"
}
asked = {
  model: text | null "Left out: the operator's legacy image model, or its GPT image model where
    a member is used that those alone have.",
  n: int 1..10 | null "1 only for legacy model B." = 1,
  size: text | null "`auto` or one of the class's sizes; `WIDTHxHEIGHT` for GPT image models
    with arbitrary sizes." = 'auto',
  response_format: 'url' | 'b64_json' | null "Legacy models. Addresses are valid for 60
    minutes." = 'url',
  user: text "End-user identifier for abuse monitoring."
}
gpt = {
  quality: 'standard' | 'hd' | 'low' | 'medium' | 'high' | 'auto' | null
    "See docs/images.md for what each class of models takes." = 'auto',
  output_format: 'png' | 'jpeg' | 'webp' | null = 'png',
  output_compression: int 0..100 | null "With `output_format` jpeg or webp." = 100,
  stream: bool | null = false, partial_images: int 0..3 | null "With `stream`." = 0,
  background: 'transparent' | 'opaque' | 'auto' | null = 'auto'
}
prompt = text "At most 32000 characters for GPT image models, 1000 for legacy model A, 4000 for
  legacy model B."
file = text(format 'binary')
fidelity = 'high' | 'low' | null "How close the input is followed."
reference = {image_url: text "An http(s) or data URL.", file_id: text} "One of the two."
CreateImageRequest = {
  prompt!: prompt, ...asked, ...gpt,
  moderation: 'low' | 'auto' | null "GPT image models." = 'auto',
  style: 'vivid' | 'natural' | null "Legacy model B." = 'vivid'
}
EditImageRequest = {
  prompt!: prompt, images!: reference[1..16] "GPT image models.", mask: reference,
  input_fidelity: fidelity, ...asked, ...gpt
}
EditImageForm = {
  prompt!: prompt,
  image!: file | file[1..16] "One for legacy model A; several as `image[]` for GPT image
    models.",
  mask: text(format 'binary') "A PNG whose transparent parts are drawn anew.",
  input_fidelity: fidelity, ...asked, ...gpt
}
VaryImageForm = {
  image!: file, ...asked,
  size: text | null "`auto` or one of the class's sizes; `WIDTHxHEIGHT` for GPT image models
    with arbitrary sizes." = '1024x1024'
}
ImagesResponse = {
  created!: int "Seconds since the epoch.",
  data: {
    b64_json: text "The picture in base64.", url: text "Where it is, for 60 minutes.",
    revised_prompt: text "Legacy model B: what was drawn."
  }[],
  ...made, usage: usage
}
ImageStreamEvent = ImagePartialEvent | ImageCompletedEvent
ImagePartialEvent = {
  type!: 'image_generation.partial_image' | 'image_edit.partial_image', b64_json!: text,
  partial_image_index!: int 0.., created_at: int "Seconds since the epoch.", ...made
}
ImageCompletedEvent = {
  type!: 'image_generation.completed' | 'image_edit.completed', b64_json!: text,
  created_at: int "Seconds since the epoch.", ...made, usage: usage
}
""")
