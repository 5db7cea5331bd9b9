"""The pages on which people let applications in, and end that."""
