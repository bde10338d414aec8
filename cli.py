"""The command line: arguments in, reports out, nothing else."""


def main() -> None:
    """Run the command line."""
