"""The videos shape: its operations and their schemas.

Source: openai-python 3.52.0 and OpenAI's OpenAPI document of 2026-08-21, read 2026-11-21.
"""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import schemas
from trivium.wire.videos.request import MODEL, PROMPT_MAX, SECONDS, SIZES, URL_MAX

ABOUT: Final = "Films, made while nobody waits."

OPERATIONS: Final = operations("""
videos
POST /v1/videos createVideo "Begins a video; it is made while nobody waits."
  request=CreateVideoRequest form=CreateVideoForm answer=Video
GET /v1/videos listVideos "Lists the caller's videos, newest first." answer=VideoList
  parameters=limit|order|after
GET /v1/videos/{video_id} GetVideo "Says how a video stands." answer=Video parameters=video_id
DELETE /v1/videos/{video_id} DeleteVideo "Permanently deletes a completed or failed video and its
  stored files." answer=DeletedVideo parameters=video_id
GET /v1/videos/{video_id}/content RetrieveVideoContent "Sends a file of a completed video; takes a
  range." files=video/mp4|image/webp|application/json parameters=video_id|variant|range ranges
GET /assets/{asset_id} retrieveAsset "Sends a generated file by the signed address that an answer
  gave; takes a range." tag=gateway files=image/png|image/jpeg|image/webp failures=403|404|429|5XX
  parameters=asset_id|exp|sig|range ranges known
POST /v1/videos/{video_id}/remix CreateVideoRemix "Begins another version of a completed video."
  request=RemixVideoRequest form=RemixVideoRequest answer=Video parameters=video_id
""")

SCHEMAS: Final = schemas(f"""
prompt = text(minLength 1, maxLength {PROMPT_MAX}) "What is to be seen."
asked = {{
  model: text | null "A model of this gateway. Left out: {MODEL}.", prompt!: prompt,
  seconds: (({" | ".join(f"'{each}'" for each in SECONDS)} "Left out: {SECONDS[0]}.")
    | int {SECONDS[0]}..{SECONDS[-1]}) | null,
  size: text | null "{", ".join(SIZES)}, or a size that the model has a price for. Left out:
    {SIZES[0]}."
}}
reference = {{
  image_url: text(maxLength {URL_MAX}) "An address, or a picture in base64.",
  file_id: text "Refused: files belong to accounts that all callers share."
}}
CreateVideoRequest = {{...asked, input_reference: reference | null}}
CreateVideoForm = {{
  ...asked, input_reference: (text(format 'binary') "A picture or clip.") | reference
}}
RemixVideoRequest = {{prompt!: prompt}}
Video = {{
  id!: text, object!: 'video', model!: text "As it was asked for.",
  status!: 'queued' | 'in_progress' | 'completed' | 'failed', progress!: int 0..100 "Percent.",
  created_at!: int "Seconds since the epoch.", completed_at!: int | null,
  expires_at!: int | null "When its files go.", prompt!: text | null, size!: text,
  seconds!: text "A number in quotes.", remixed_from_video_id!: text | null,
  error!: {{code!: text, message!: text}} | null
}}
VideoList = {{
  object!: 'list', data!: Video[], first_id: text | null, last_id: text | null, has_more!: bool
}}
DeletedVideo = {{id!: text, object!: 'video.deleted', deleted!: bool}}
""")
