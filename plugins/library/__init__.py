"""Reference plugins of a coding agent, and the code generated from the shipped contracts."""
