"""Accounts at providers of models: secrets stay in the session, their presence is shown."""
