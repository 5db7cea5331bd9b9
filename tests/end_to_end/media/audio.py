"""The audio endpoints, rows 11 to 13."""

from end_to_end.media.table import Endpoint

SAY = "pipeline/audio/test_speech.py::"
WRITE = "pipeline/audio/test_transcript.py::"
SOUND = "pipeline/audio/test_attempt.py::"
RULES = "wire/audio/test_speech.py::"
CLASSES = "providers/test_audio.py::"
BILL = "ledger/test_audio_cost.py::"
INTAKE = "edge/test_form_upload.py::"
STORY = "end_to_end/sdk/test_speech.py::"
UPLOADS = "end_to_end/test_uploads.py::"

NODE = [f"{STORY}test_the_node_client"]
BILLS = [
    f"{BILL}test_a_bill_is_of_what_was_reported_or_known_or_estimated",
    f"{BILL}test_what_is_held_covers_what_is_foreseen",
    f"{BILL}test_a_model_without_a_price_for_it_is_not_served",
    f"{STORY}test_every_entry_explains_its_price",
]
LIMITS = [
    f"{INTAKE}test_a_form_that_is_wrong_is_refused_in_json_and_leaves_nothing",
    f"{INTAKE}test_a_sender_that_outruns_the_disk_is_read_no_further",
    f"{INTAKE}test_an_upload_without_room_is_refused_for_a_while",
    "uploads/test_spool.py::test_a_disk_that_is_full_is_told_to_the_operator_once",
    f"{UPLOADS}test_forty_large_uploads_take_little_memory",
]
LEAVES = [
    f"{WRITE}test_a_caller_that_leaves_stops_the_vendor_and_leaves_nothing",
    f"{INTAKE}test_a_caller_that_leaves_in_the_middle_of_an_upload_leaves_nothing",
]

ENDPOINTS = [
    Endpoint(
        number=11,
        path="POST /v1/audio/speech",
        cells={
            "request": [
                f"{RULES}test_what_the_specification_allows_is_taken",
                f"{RULES}test_what_it_does_not_is_refused_by_name",
                f"{SAY}test_a_class_of_models_refuses_what_it_does_not_take",
                f"{SAY}test_a_format_that_needs_an_encoder_is_refused_by_name",
            ],
            "answer": [
                f"{SAY}test_sound_reaches_the_caller_byte_for_byte",
                f"{SAY}test_whoever_asks_for_audio_is_told_which",
                f"{SAY}test_a_generate_content_model_speaks",
                f"{STORY}test_the_words_come_back_in_every_format",
            ],
            "stream": [
                f"{SAY}test_the_first_bytes_go_out_before_the_last_have_come",
                f"{SAY}test_events_pass_and_their_usage_is_read",
                f"{SAY}test_events_that_break_off_end_with_an_error_event",
                f"{SAY}test_a_generate_content_model_speaks_in_events_too",
            ],
            "errors": [
                f"{SAY}test_sound_that_breaks_off_is_cut_and_paid_for",
                f"{SAY}test_what_is_no_sound_is_not_relayed_as_such",
                f"{SAY}test_a_vendor_that_fails_before_its_first_byte_is_followed_by_another",
            ],
            "limits": [f"{SOUND}test_a_caller_that_reads_slowly_slows_the_vendor_down"],
            "bill": [*BILLS, f"{SOUND}test_seconds_are_those_that_were_delivered"],
            "leaving": [f"{SAY}test_a_caller_that_leaves_stops_the_vendor_within_a_second"],
            "python": [
                f"{STORY}test_the_words_come_back_in_every_format",
                f"{STORY}test_sound_is_read_as_it_comes",
                f"{STORY}test_sound_as_events",
            ],
            "node": NODE,
        },
    ),
    Endpoint(
        number=12,
        path="POST /v1/audio/transcriptions",
        cells={
            "request": [
                f"{WRITE}test_what_a_model_does_not_take_is_refused_by_name",
                f"{WRITE}test_a_form_that_lacks_something_is_told_what",
                f"{WRITE}test_a_body_that_is_no_form_is_a_415",
                f"{WRITE}test_a_form_goes_on_with_the_models_own_name",
                f"{CLASSES}test_formats_by_class",
            ],
            "answer": [
                f"{WRITE}test_each_format_is_given_by_the_upstream_or_made_of_what_it_gives",
                f"{STORY}test_the_words_come_back_as_they_are_asked_for",
                f"{STORY}test_words_have_times",
            ],
            "stream": [
                f"{WRITE}test_a_transcript_streams",
                f"{WRITE}test_a_model_that_ignores_the_wish_for_a_stream_is_given_one",
                f"{WRITE}test_a_stream_that_breaks_off_ends_with_an_error_event",
            ],
            "errors": [
                f"{WRITE}test_what_is_no_transcript_is_not_relayed_as_one",
                f"{WRITE}test_a_vendor_that_dies_in_the_middle_of_the_upload_is_a_502",
                f"{WRITE}test_a_failed_attempt_is_followed_by_another_with_the_whole_form",
                f"{STORY}test_noise_is_refused_in_the_callers_words",
            ],
            "limits": LIMITS,
            "bill": [*BILLS, f"{WRITE}test_an_estimated_length_is_marked"],
            "leaving": LEAVES,
            "python": [
                f"{STORY}test_the_words_come_back_as_they_are_asked_for",
                f"{STORY}test_a_transcript_streams",
            ],
            "node": NODE,
        },
    ),
    Endpoint(
        number=13,
        path="POST /v1/audio/translations",
        cells={
            "request": [f"{WRITE}test_a_translation_is_a_transcript_without_speakers_or_streams"],
            "answer": [f"{WRITE}test_a_translation_is_a_transcript_without_speakers_or_streams"],
            "stream": "translations do not stream: the wish is refused by name",
            "errors": [f"{WRITE}test_what_is_no_transcript_is_not_relayed_as_one"],
            "limits": LIMITS,
            "bill": BILLS,
            "leaving": LEAVES,
            "python": [f"{STORY}test_a_translation"],
            "node": NODE,
        },
    ),
]
