"""Questions of the agent to whoever is there to answer."""
