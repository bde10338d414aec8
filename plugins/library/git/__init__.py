"""The state of the working tree."""
