"""The sessions of a server: their list, and creating, selecting and deleting them."""
