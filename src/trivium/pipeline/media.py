"""Requests and answers that are files: what the context asks for, from modules that most never
need.

They are imported with the first such request.
"""

from trivium.faults import Fault, Kind
from trivium.pipeline.attempt import Attempt
from trivium.pipeline.lane import Lane
from trivium.pipeline.request_context import RequestContext
from trivium.routing.model import Step
from trivium.routing.routing_preferences import MEMBER
from trivium.uploads.form import Upload
from trivium.wire.form import FormMembers
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members


async def received(context: RequestContext, upload: Upload) -> FormMembers:
    """The members of a form that came in. Raises ``Fault`` when it cannot be read."""
    from trivium.pipeline.audio.received_form import received as measured

    members = await measured(context, upload)
    if MEMBER in members:
        raise Fault(
            Kind.INVALID_VALUE,
            f"`{MEMBER}` is a member of JSON bodies: with a form, say it in headers.",
            param=MEMBER,
        )
    return members


def lane_for(context: RequestContext, step: Step, members: Members, facts: RequestFacts) -> Lane:
    """One attempt's lane. Raises ``Fault`` naming a member that the channel's model refuses."""
    from trivium.pipeline.audio.speech import GenerateSpeech, SpeechLane
    from trivium.pipeline.audio.transcript import TranscriptLane

    if context.operation is not Operation.SPEECH:
        return TranscriptLane(context, step, members, facts)
    if step.operation is Operation.SPEECH:
        return SpeechLane(context, step, members, facts)
    lane = GenerateSpeech(context, step, members, facts)
    context.report = lane.report
    return lane


def attempts() -> type[Attempt]:
    """The sink for answers that may be sound."""
    from trivium.pipeline.audio.attempt import MediaAttempt

    return MediaAttempt
