"""Teams as pages show them: no more of them at once than a page has."""
