"""Pictures of a plan: as mermaid and dot texts, and as one page for a browser."""
