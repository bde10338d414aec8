"""The models that can be selected."""
