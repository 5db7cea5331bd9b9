"""Functions with a loop that no row calls, and why not: none goes through what others send."""

TABLE = "goes through a table of the gateway's own"
NAMED = "goes through the names of members that the specification has"

EXEMPT = {
    ("conversation/fit.py", "_ordered"): TABLE,
    ("conversation/fit.py", "_refused"): TABLE,
    ("conversation/member_table.py", "_row"): "goes through the public shapes, at import",
    ("conversation/member_table.py", "_rows"): "goes through the same, at import",
    ("wire/converse/read_fields.py", "_nova_sampling"): TABLE,
    ("wire/registry.py", "prepare"): "goes through the operations of a channel, when it is made",
    ("wire/bedrock/invoked_vectors.py", "is_asked"): "goes through the few members that tell",
    ("wire/bedrock/ranks.py", "is_asked"): "goes through the two members that tell",
    ("wire/bedrock/chunks.py", "_raised"): "goes through the two members that may say why",
    ("wire/chat/read_request.py", "_effort"): TABLE,
    ("wire/checks.py", "_explain"): "goes through the types of a member as we declare them",
    ("wire/converse/media.py", "_back"): "goes through a table of the gateway's own, at import",
    ("wire/cohere/read_request.py", "_stop"): "goes through five at most",
    ("wire/generate/write_usage.py", "_details"): NAMED,
    ("wire/images/rules.py", "_not_taken"): TABLE,
    ("wire/images/rules.py", "_streaming"): NAMED,
    ("wire/images/rules.py", "check"): TABLE,
    ("wire/images/rules.py", "unsent"): NAMED,
    ("wire/images/request.py", "ImageRequest.is_for_gpt"): NAMED,
    ("wire/messages/read_request.py", "_sampling"): NAMED,
    ("wire/operation.py", "_making"): "goes through the operations, at import",
    ("wire/operation.py", "served"): TABLE,
    ("wire/responses/read_request.py", "_wish"): NAMED,
    ("wire/unknown_members.py", "_strict"): "goes through tables of the gateway's own, at import",
    ("wire/output_count.py", "_present"): "goes through the fields of a struct",
}
