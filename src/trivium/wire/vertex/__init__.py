"""What Vertex AI writes around shapes of others."""
