"""Letters to people, over SMTP."""
