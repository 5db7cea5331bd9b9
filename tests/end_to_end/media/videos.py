"""The video endpoints, rows 6 to 10."""

from end_to_end.media.table import Endpoint

MAKE = "pipeline/videos/test_create.py::"
ORDER = "pipeline/videos/test_order.py::"
REMIX = "pipeline/videos/test_remix.py::"
FOLLOW = "pipeline/videos/test_manage.py::"
CONTENT = "pipeline/videos/test_content.py::"
SERVE = "pipeline/videos/test_serve.py::"
REQUEST = "wire/videos/test_request.py::"
RESOURCE = "wire/videos/test_resource.py::"
POLL = "jobs/test_poll.py::"
JOBS = "jobs/test_service.py::"
STORY = "end_to_end/test_videos.py::"

NO_STREAM = "a video is a job: its answer is whole at once"
NOTHING_BILLED = "looking at a video costs nothing"
SHORT = "the answer is whole before anybody can leave"
SDK = {
    "python": [f"{STORY}test_the_python_sdk_makes_videos"],
    "node": [f"{STORY}test_the_node_sdk_makes_videos"],
}
KILLED = [
    f"{STORY}test_a_video_survives_kills_and_costs_once",
    f"{STORY}test_a_kill_while_the_vendor_is_asked_leaves_a_hold_that_ends",
]

ENDPOINTS = [
    Endpoint(
        number=6,
        path="POST /v1/videos",
        cells={
            "request": [
                f"{REQUEST}test_json_is_read", f"{REQUEST}test_a_form_is_read",
                f"{REQUEST}test_what_is_wrong_is_named",
                f"{REQUEST}test_what_is_wrong_with_a_form_is_named",
                f"{MAKE}test_a_wrong_request_reaches_nobody",
                f"{MAKE}test_a_form_is_taken_with_its_file",
            ],
            "answer": [
                f"{MAKE}test_a_video_is_begun", f"{RESOURCE}test_every_member_is_there",
                f"{RESOURCE}test_the_sdk_reads_it",
            ],
            "stream": NO_STREAM,
            "errors": [
                f"{MAKE}test_a_refusal_leaves_nothing",
                f"{ORDER}test_what_may_have_been_begun_is_not_begun_again",
                f"{ORDER}test_an_answer_that_is_no_video_is_not_asked_for_again",
                f"{MAKE}test_a_channel_that_refuses_for_itself_is_followed_by_the_next",
                f"{ORDER}test_an_error_that_does_not_say_so_is_no_refusal",
            ],
            "limits": [f"{SERVE}test_every_path_counts_against_the_limits"],
            "bill": [
                f"{JOBS}test_money_is_held_until_the_end",
                f"{JOBS}test_an_end_is_seen_once_however_often_it_is_told",
                f"{ORDER}test_a_balance_that_does_not_cover_it_is_refused", *KILLED,
            ],
            "leaving": [f"{ORDER}test_whoever_leaves_has_a_video_all_the_same"],
            **SDK,
        },
        rules=(
            (
                "a job nobody asks about ends all the same, looked at by one node at a time",
                [
                    f"{POLL}test_a_job_nobody_asks_about_ends_all_the_same",
                    f"{POLL}test_several_nodes_look_once",
                    f"{POLL}test_a_node_that_died_is_followed_by_another",
                ],
            ),
            (
                "one that is not made in time has failed and costs nothing",
                [
                    f"{POLL}test_a_job_that_is_too_old_has_failed_and_costs_nothing",
                    f"{POLL}test_a_video_that_its_vendor_lost_has_failed",
                ],
            ),
            (
                "a model declared in `fallbacks` makes it, at its own price, where the first has nobody",
                [
                    f"{MAKE}test_a_declared_model_makes_it_where_the_first_has_nobody",
                    f"{MAKE}test_a_model_that_makes_it_itself_costs_its_own_price",
                    f"{MAKE}test_nobody_stands_in_who_may_make_a_second_one",
                ],
            ),
            (
                "Google's long-running operations make the same resource",
                [
                    f"{MAKE}test_google_makes_videos_behind_the_same_resource",
                    "providers/videos/test_google.py::test_what_cannot_be_carried_is_refused_by_name",
                ],
            ),
        ),
    ),
    Endpoint(
        number=7,
        path="GET /v1/videos/{video_id}",
        cells={
            "request": [f"{FOLLOW}test_anothers_id_is_unknown"],
            "answer": [
                f"{FOLLOW}test_a_video_is_followed_to_its_end",
                f"{FOLLOW}test_a_failed_video_says_why_and_costs_nothing",
                f"{FOLLOW}test_nothing_of_the_vendors_is_shown",
            ],
            "stream": NO_STREAM,
            "errors": [
                f"{FOLLOW}test_a_vendor_that_is_away_changes_nothing",
                f"{FOLLOW}test_an_account_that_is_gone_is_told",
                f"{FOLLOW}test_a_database_that_is_away_is_a_503",
            ],
            "limits": [
                f"{FOLLOW}test_whoever_asks_often_does_not_have_the_vendor_asked_often",
                f"{SERVE}test_every_path_counts_against_the_limits",
            ],
            "bill": NOTHING_BILLED,
            "leaving": SHORT,
            **SDK,
        },
        rules=(
            (
                "the account that made a video is asked, after a restart, a new name, on any node",
                [f"{FOLLOW}test_two_accounts_of_one_channel_are_told_apart", KILLED[0]],
            ),
        ),
    ),
    Endpoint(
        number=8,
        path="DELETE /v1/videos/{video_id}",
        cells={
            "request": [
                f"{FOLLOW}test_a_video_that_is_being_made_is_not_deleted",
                f"{FOLLOW}test_anothers_id_is_unknown",
            ],
            "answer": [
                f"{FOLLOW}test_a_video_that_has_ended_is_deleted",
                f"{CONTENT}test_a_kept_video_outlives_its_upstream",
                f"{FOLLOW}test_what_is_kept_while_a_video_is_deleted_goes_too",
            ],
            "stream": NO_STREAM,
            "errors": [
                f"{FOLLOW}test_a_vendor_that_does_not_delete_is_told_of",
                f"{FOLLOW}test_a_video_that_the_vendor_has_not_any_more_is_deleted",
                f"{FOLLOW}test_an_account_that_is_gone_is_told",
            ],
            "limits": [f"{SERVE}test_every_path_counts_against_the_limits"],
            "bill": "a deletion costs nothing, and gives nothing back",
            "leaving": SHORT,
            **SDK,
        },
    ),
    Endpoint(
        number=9,
        path="GET /v1/videos/{video_id}/content",
        cells={
            "request": [
                f"{CONTENT}test_a_wrong_variant_is_named",
                f"{CONTENT}test_only_a_completed_video_has_files",
                f"{CONTENT}test_a_range_beyond_the_end_is_a_416",
                f"{CONTENT}test_one_range_travels_and_what_is_none_does_not",
                f"{FOLLOW}test_anothers_id_is_unknown",
            ],
            "answer": [
                f"{CONTENT}test_a_file_comes_whole", f"{CONTENT}test_a_variant_has_its_type",
                f"{CONTENT}test_a_head_tells_what_a_get_would",
                f"{CONTENT}test_a_download_is_resumed_in_pieces",
            ],
            "stream": [
                f"{CONTENT}test_a_slow_caller_slows_the_vendor",
                f"{CONTENT}test_a_file_that_breaks_off_is_cut",
            ],
            "errors": [
                f"{CONTENT}test_files_end_when_they_expire", f"{CONTENT}test_json_is_no_film",
                f"{CONTENT}test_a_circle_of_redirects_ends",
            ],
            "limits": [
                f"{CONTENT}test_a_slow_caller_slows_the_vendor",
                f"{STORY}test_three_hundred_megabytes_are_resumed_in_pieces",
            ],
            "bill": NOTHING_BILLED,
            "leaving": [f"{STORY}test_three_hundred_megabytes_are_resumed_in_pieces"],
            **SDK,
        },
        rules=(
            (
                "a file elsewhere is fetched without a key, never shown, and nowhere private",
                [
                    f"{CONTENT}test_a_file_that_is_elsewhere_is_fetched_and_its_address_not_shown",
                    f"{CONTENT}test_a_vendor_cannot_send_us_to_our_neighbours",
                    "upstream/test_vendor_files.py::test_only_the_range_travels",
                ],
            ),
            (
                "kept files outlive what the vendor keeps",
                [
                    f"{CONTENT}test_a_kept_video_outlives_its_upstream",
                    f"{CONTENT}test_kept_pictures_outlive_their_upstream",
                    "jobs/test_video_archive.py::test_pictures_that_fail_are_asked_for_again_and_the_film_is_not",
                    "jobs/test_video_archive.py::test_a_store_that_is_slow_slows_the_vendor",
                ],
            ),
        ),
    ),
    Endpoint(
        number=10,
        path="POST /v1/videos/{video_id}/remix",
        cells={
            "request": [
                f"{REQUEST}test_a_remix_has_a_prompt_and_nothing_else",
                f"{REMIX}test_only_a_completed_video_is_remixed",
                f"{REMIX}test_a_remix_may_be_asked_for_with_a_form",
                f"{REMIX}test_anothers_video_is_not_remixed",
            ],
            "answer": [f"{REMIX}test_a_remix_is_a_video_of_its_own"],
            "stream": NO_STREAM,
            "errors": [f"{FOLLOW}test_an_account_that_is_gone_is_told"],
            "limits": [f"{SERVE}test_every_path_counts_against_the_limits"],
            "bill": [f"{REMIX}test_a_remix_is_a_video_of_its_own"],
            "leaving": [f"{ORDER}test_whoever_leaves_has_a_video_all_the_same"],
            **SDK,
        },
        rules=(
            (
                "a new name of the model changes nothing",
                [f"{REMIX}test_a_remix_outlives_a_new_name_of_its_model"],
            ),
        ),
    ),
    Endpoint(
        number=None,
        path="GET /v1/videos",
        cells={
            "request": [f"{FOLLOW}test_a_wrong_page_is_refused_by_name"],
            "answer": [
                f"{FOLLOW}test_videos_are_listed_page_by_page",
                f"{RESOURCE}test_a_page_names_its_ends",
                f"{JOBS}test_jobs_are_listed_page_by_page",
            ],
            "stream": NO_STREAM,
            "errors": [f"{FOLLOW}test_a_database_that_is_away_is_a_503"],
            "limits": [f"{SERVE}test_every_path_counts_against_the_limits"],
            "bill": NOTHING_BILLED,
            "leaving": SHORT,
            **SDK,
        },
    ),
]  # fmt: skip
