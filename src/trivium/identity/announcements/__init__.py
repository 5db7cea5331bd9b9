"""What the operator tells everybody who uses the pages."""
