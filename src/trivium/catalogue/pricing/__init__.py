"""What models cost, beside what is suggested: compared, proposed, adopted, and what is earned."""
