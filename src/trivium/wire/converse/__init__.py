"""The shape of Amazon Bedrock's Converse and ConverseStream."""
