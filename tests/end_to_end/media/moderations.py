"""Texts and pictures classified."""

from end_to_end.media.table import Endpoint

REQUEST = "wire/moderations/test_passage.py"
BILL = "end_to_end/test_media_bill.py"
STORY = "end_to_end/test_moderations.py"

ENDPOINTS = [
    Endpoint(
        number=14,
        path="POST /v1/moderations",
        cells={
            "request": (
                f"{REQUEST}::test_texts_and_pictures_are_taken",
                f"{REQUEST}::test_what_cannot_be_classified_is_named",
                f"{REQUEST}::test_input_is_required",
            ),
            "answer": (
                f"{STORY}::test_an_answer_passes_byte_for_byte",
                "wire/moderations/test_passage.py::test_it_has_no_usage_and_no_error",
                "wire/moderations/test_passage.py::test_an_answer_without_a_verdict_is_none",
            ),
            "stream": "a classification never streams",
            "errors": (f"{STORY}::test_a_refusal_is_told_in_the_gateways_words",),
            "limits": (f"{STORY}::test_a_body_beyond_the_limit_is_refused",),
            "bill": (f"{BILL}::test_every_media_entry_explains_its_price",),
            "leaving": (f"{STORY}::test_who_leaves_ends_the_call",),
            "python": (
                "end_to_end/sdk/test_openai_rest.py::test_a_moderation",
                f"{STORY}::test_the_official_client_sends_pictures",
                "end_to_end/sdk/test_classifier.py::test_texts_are_told_apart",
            ),
            "node": ("node/openai.test.mjs::a moderation",),
        },
        rules=(
            (
                "Without a model `omni-moderation-latest` is meant",
                (
                    f"{REQUEST}::test_a_request_without_a_model_means_the_protocols_own",
                    f"{BILL}::test_every_media_entry_explains_its_price",
                ),
            ),
            (
                "Without an upstream it is a 404 for the model; no other model stands in",
                (f"{STORY}::test_without_an_upstream_the_model_is_not_found",),
            ),
        ),
    ),
]
