"""What packages outside this repository may import: everything else may change without a word.

docs/plugins.md tells how it is used, ``examples/vendor-plugin`` uses it.
"""

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.events import (
    Cited,
    Delta,
    Done,
    Event,
    Failed,
    Finished,
    KeepAlive,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import DropAction as Act
from trivium.conversation.losses import Rank, Report
from trivium.conversation.member_table import Concept, lacking
from trivium.conversation.parts import Audio, Document, Image, Reasoning, Text, Video
from trivium.conversation.request import Conversation, Sampling
from trivium.conversation.target import Input, TargetFacts, Thinks
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.observe.record import Record
from trivium.plugin.hook import AfterHook, BeforeHook, HookRequest
from trivium.providers.base import Capabilities, OwnShape, Provider
from trivium.providers.base import VendorRefusal as Refusal
from trivium.providers.credential import (
    BEARER,
    Credential,
    CredentialChoice,
    Finder,
    FoundSecret,
    Refusals,
    Remedy,
    Renewed,
    Signature,
    Signing,
    Static,
    Surroundings,
    Token,
    TokenRequest,
    Unsigned,
)
from trivium.providers.failure import default_failure
from trivium.wire.codec import AnswerContext, StreamReader, UpstreamCodec
from trivium.wire.length_prefixed import Frames
from trivium.wire.operation import Operation, Shape

__all__ = [
    "BEARER",
    "Act",
    "AfterHook",
    "Answer",
    "AnswerContext",
    "Audio",
    "BeforeHook",
    "CallKind",
    "Candidate",
    "Capabilities",
    "Cited",
    "Concept",
    "Conversation",
    "Credential",
    "CredentialChoice",
    "Delta",
    "Document",
    "Done",
    "Event",
    "Failed",
    "Fault",
    "Finder",
    "Finish",
    "Finished",
    "FoundSecret",
    "Frames",
    "HookRequest",
    "Image",
    "Input",
    "KeepAlive",
    "Kind",
    "Operation",
    "OwnShape",
    "PartEnd",
    "PartStart",
    "Provider",
    "Rank",
    "Reasoning",
    "Record",
    "Refusal",
    "Refusals",
    "Remedy",
    "Renewed",
    "Report",
    "Role",
    "Sampling",
    "Shape",
    "Signature",
    "Signing",
    "Start",
    "Static",
    "StreamReader",
    "Surroundings",
    "TargetFacts",
    "Text",
    "Thinks",
    "Token",
    "TokenRequest",
    "ToolCall",
    "ToolResult",
    "Turn",
    "Unified",
    "Unsigned",
    "UpstreamCodec",
    "Usage",
    "UsageReport",
    "Video",
    "default_failure",
    "lacking",
]
