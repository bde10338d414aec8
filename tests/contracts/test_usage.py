from __future__ import annotations

import pytest
import typer
from pi_contracts.contracts.usage import Commands, word_usage
from typer.testing import CliRunner


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Value error, 'x' is not one of 'a', 'b'.", "'x' is not one of 'a', 'b'."),
        ("Input should be a valid number, unable to parse", "a number is expected."),
        ("'x' is not one of 'a', 'b'.", "'x' is not one of 'a', 'b'."),
    ],
)
def test_what_is_wrong_is_said_without_the_words_of_a_library(message: str, words: str) -> None:
    assert word_usage(message) == words


def test_commands_tell_refused_arguments_in_plain_words() -> None:
    app = typer.Typer(cls=Commands, rich_markup_mode=None)

    @app.command()
    def wait(*, seconds: float = 0) -> None:  # pyright: ignore[reportUnusedFunction] # by the decorator
        typer.echo(seconds)

    @app.callback()
    def start() -> None:  # pyright: ignore[reportUnusedFunction] # by the decorator
        pass

    runner = CliRunner()
    assert runner.invoke(app, ["wait", "--seconds", "1"]).stdout == "1.0\n"
    refused = runner.invoke(app, ["wait", "--seconds", "long"])
    assert refused.exit_code == 2
    assert "Invalid value for '--seconds': a number is expected." in refused.stderr
