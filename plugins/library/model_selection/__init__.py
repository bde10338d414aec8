"""The picker of models and the control of the thinking level."""
