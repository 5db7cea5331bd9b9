"""What Amazon Bedrock writes around shapes of others."""
