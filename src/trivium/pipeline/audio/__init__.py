"""Speech and transcripts: forms measured, sound relayed, subtitles made."""
