"""A search index of a folder, built by jobs."""
