"""What was spent, by who paid, asked and answered and by what callers said: sums and statements."""
