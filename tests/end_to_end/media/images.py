"""Pictures out of words and other pictures."""

from end_to_end.media.table import Endpoint

RULES = "wire/images/test_rules.py"
WISH = "wire/images/test_request.py"
STREAM = "wire/images/test_stream.py"
ANSWER = "wire/images/test_answer.py"
DRAWING = "pipeline/test_images.py"
PICTURE = "pipeline/test_image_attempt.py"
BILL = "end_to_end/test_media_bill.py"
SDK = "end_to_end/sdk/test_openai_images.py"
NODE = "node/openai.test.mjs"
EDIT = "wire/images/test_edit.py"
EDITS = "end_to_end/test_image_edits.py"
GENERATE = "wire/images/test_generate.py"

ENDPOINTS = [
    Endpoint(
        number=5,
        path="POST /v1/images/generations",
        cells={
            "request": (
                f"{RULES}::test_every_cell_of_the_table",
                f"{RULES}::test_null_is_no_error_for_any_class",
                f"{RULES}::test_of_a_model_without_a_class_the_upstream_decides",
                f"{WISH}::test_a_prompt_is_required",
                f"{DRAWING}::test_a_violation_is_a_400_in_the_image_error_shape",
            ),
            "answer": (
                f"{DRAWING}::test_the_callers_body_passes_with_its_unknown_members",
                f"{ANSWER}::test_usage_is_tokens_and_pictures",
                f"{GENERATE}::test_the_answer_is_the_images_shapes_own",
            ),
            "stream": (
                f"{DRAWING}::test_a_stream_passes_as_it_comes",
                f"{STREAM}::test_every_byte_passes_however_it_is_cut",
                f"{DRAWING}::test_a_generate_model_streams_one_event",
            ),
            "errors": (
                f"{DRAWING}::test_a_refusal_of_the_vendor_is_told_in_the_callers_words",
                f"{DRAWING}::test_a_stream_that_breaks_ends_with_an_error_event",
                f"{STREAM}::test_an_event_that_is_cut_in_its_picture_becomes_the_error",
                f"{DRAWING}::test_a_vendor_that_declines_is_no_success",
                f"{DRAWING}::test_an_answer_without_a_picture_is_no_success",
                f"{STREAM}::test_an_end_without_a_picture_is_no_success",
                f"{STREAM}::test_wherever_a_stream_breaks_every_event_can_be_read",
                "pipeline/test_heartbeats.py::test_no_heartbeat_falls_into_a_picture",
                f"{STREAM}::test_a_picture_that_a_line_break_cuts_becomes_the_error",
            ),
            "limits": (
                f"{STREAM}::test_a_picture_is_never_kept",
                f"{STREAM}::test_an_event_without_end_is_a_break",
            ),
            "bill": (
                f"{BILL}::test_every_media_entry_explains_its_price",
                f"{BILL}::test_who_cannot_pay_is_told_before_anybody_draws",
                f"{DRAWING}::test_usage_that_nobody_told_is_estimated_by_the_picture",
                f"{ANSWER}::test_only_pictures_that_came_are_counted",
                f"{DRAWING}::test_a_model_that_worked_and_drew_nothing_is_paid",
            ),
            "leaving": (f"{PICTURE}::test_who_leaves_while_a_picture_is_kept_leaves_nothing",),
            "python": (
                f"{SDK}::test_a_picture",
                f"{SDK}::test_a_stream_of_pictures",
                f"{SDK}::test_an_address",
                f"{SDK}::test_a_violation_is_a_bad_request",
            ),
            "node": (f"{NODE}::pictures", f"{NODE}::pictures streamed"),
        },
        rules=(
            (
                "Without a model the default is meant, GPT or legacy by the members used",
                (
                    f"{WISH}::test_some_members_mean_a_gpt_image_model",
                    f"{DRAWING}::test_a_request_without_a_model_means_the_default",
                    f"{DRAWING}::test_the_defaults_are_the_operators_to_choose",
                ),
            ),
            (
                "A model that stands in answers in the form that was asked for",
                (f"{PICTURE}::test_a_model_that_stands_in_answers_in_the_form_that_was_asked_for",),
            ),
            (
                "The class of a model is data, and the operator's to say",
                (
                    "providers/test_images.py::test_a_name_has_its_class",
                    f"{DRAWING}::test_an_operator_may_say_what_a_model_is",
                    f"{DRAWING}::test_a_class_is_the_operators_or_the_names_or_the_channels",
                ),
            ),
            (
                "A refusal names the member and the values that are right",
                (f"{RULES}::test_a_refusal_says_what_would_be_right",),
            ),
            (
                "`auto` written out, and nulls of another class's members, are not sent on",
                (
                    f"{RULES}::test_what_changes_nothing_is_not_sent_on",
                    f"{DRAWING}::test_what_means_nothing_to_the_class_stays_behind",
                ),
            ),
            (
                "`b64_json` for a GPT image model is left out and told, `url` is refused",
                (f"{DRAWING}::test_a_member_that_is_left_out_is_told",),
            ),
            (
                "Addresses are valid for 60 minutes: ours where only bytes come, the vendor's else",
                (
                    f"{PICTURE}::test_bytes_are_kept_for_sixty_minutes",
                    f"{PICTURE}::test_a_vendors_own_address_passes",
                    f"{PICTURE}::test_bytes_stay_bytes_where_they_are_wanted",
                    f"{PICTURE}::test_a_picture_that_cannot_be_kept_goes_out_as_bytes",
                ),
            ),
            (
                "An address of ours: signed, whole or in part, nothing a browser could run",
                (
                    "edge/test_asset.py::test_whoever_has_the_address_reads_the_file",
                    "edge/test_asset.py::test_a_part_is_sent_as_one",
                    "edge/test_asset.py::test_a_forged_address_is_refused_in_json",
                    "edge/test_asset.py::test_there_is_no_list_and_no_way_out",
                    "edge/test_asset.py::test_what_a_browser_might_run_is_only_saved",
                ),
            ),
            (
                "Gemini models that draw serve it too: sizes become ratios, the rest is told",
                (
                    f"{DRAWING}::test_a_generate_model_draws_behind_the_same_endpoint",
                    f"{DRAWING}::test_what_a_generate_model_cannot_is_refused",
                    f"{GENERATE}::test_a_size_is_a_ratio_and_a_resolution",
                    f"{GENERATE}::test_what_is_only_wished_is_left_out_and_told",
                ),
            ),
        ),
    ),
    Endpoint(
        number=None,
        path="POST /v1/images/edits",
        cells={
            "request": (
                f"{EDITS}::test_the_rules_hold_for_forms",
                f"{EDIT}::test_pictures_within_the_limits_are_taken",
                f"{EDIT}::test_references_that_are_wrong_are_named",
                f"{RULES}::test_not_every_class_edits_or_varies",
            ),
            "answer": (
                f"{EDITS}::test_files_and_fields_go_on_as_they_came",
                f"{EDITS}::test_a_generate_model_edits_behind_the_same_endpoint",
            ),
            "stream": (f"{EDITS}::test_an_edit_streams",),
            "errors": (
                f"{EDITS}::test_a_refusal_of_the_vendor_is_told",
                f"{EDITS}::test_what_a_generate_model_cannot_take_is_refused",
            ),
            "limits": (
                f"{EDITS}::test_a_form_beyond_the_limit_is_refused",
                f"{EDIT}::test_pictures_beyond_the_limits_are_named",
            ),
            "bill": (f"{BILL}::test_every_media_entry_explains_its_price",),
            "leaving": (f"{EDITS}::test_who_leaves_in_the_middle_of_an_upload_reaches_nobody",),
            "python": (
                f"{EDITS}::test_the_official_client_edits_several_pictures",
                f"{EDITS}::test_the_official_client_streams_an_edit",
            ),
            "node": (f"{NODE}::pictures edited and varied",),
        },
        rules=(
            (
                "A second attempt sends the same files again",
                (f"{EDITS}::test_a_second_channel_gets_the_same_files",),
            ),
            (
                "Pictures may be named in JSON, where the vendor knows them",
                (
                    f"{EDITS}::test_pictures_may_be_named_in_json",
                    f"{EDIT}::test_only_what_is_in_the_body_can_go_inline",
                ),
            ),
        ),
    ),
    Endpoint(
        number=None,
        path="POST /v1/images/variations",
        cells={
            "request": (
                f"{EDITS}::test_the_rules_hold_for_variations",
                f"{EDIT}::test_a_variation_is_of_one_picture",
                f"{EDIT}::test_a_variation_has_no_prompt_and_is_a_form",
            ),
            "answer": (f"{EDITS}::test_a_variation_is_a_picture_and_no_words",),
            "stream": "a variation never streams",
            "errors": (f"{EDITS}::test_a_refusal_of_the_vendor_is_told",),
            "limits": (f"{EDIT}::test_pictures_beyond_the_limits_are_named",),
            "bill": (f"{BILL}::test_every_media_entry_explains_its_price",),
            "leaving": (f"{EDITS}::test_who_leaves_in_the_middle_of_an_upload_reaches_nobody",),
            "python": (f"{EDITS}::test_the_official_client_makes_variations",),
            "node": (f"{NODE}::pictures edited and varied",),
        },
    ),
]
