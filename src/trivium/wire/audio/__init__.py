"""The audio shapes: POST /v1/audio/speech, /v1/audio/transcriptions, /v1/audio/translations."""
