"""A shared review of the working tree's changes, kept until it is submitted."""
