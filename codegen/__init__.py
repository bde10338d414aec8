"""From the contract model to Python source: shapes, types, templates and the writer."""
