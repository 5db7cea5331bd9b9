"""The images shape: POST /v1/images/generations, /v1/images/edits and /v1/images/variations."""
