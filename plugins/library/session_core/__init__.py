"""The conversation with the agent of a session, and what other session plugins build on."""
