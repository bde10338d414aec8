"""Compatibility: whether every value that one side sends is taken by the other."""
