"""Letting other applications in: applications, codes, tokens, scopes. The words are the RFCs'."""
