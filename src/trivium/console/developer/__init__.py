"""Pages for those who write applications: what they registered, its secrets, developer tokens."""
