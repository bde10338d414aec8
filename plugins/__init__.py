"""Assemblies of plugins: the manifest, what facets declare, the graph and the plan."""
