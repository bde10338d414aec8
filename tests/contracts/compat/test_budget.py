from __future__ import annotations

import pytest
from pi_contracts.contracts.compat.budget import Budget, ExhaustedError


def test_steps_are_spent_until_there_are_none() -> None:
    budget = Budget(3, 10)
    budget.spend(3)
    with pytest.raises(ExhaustedError):
        budget.spend()
    with pytest.raises(ExhaustedError):
        budget.spend(0)


def test_who_runs_out_of_what_was_lent_may_go_on_outside() -> None:
    budget = Budget(100, 10)
    with pytest.raises(ExhaustedError), budget.lend(2):
        budget.spend(3)
    budget.spend(50)
    with budget.lend(1000), pytest.raises(ExhaustedError):
        budget.spend(50)


@pytest.mark.parametrize("budget", [Budget(10**9, -1), Budget(10**9, 10, until=0)])
def test_the_time_ends_everything(budget: Budget) -> None:
    with pytest.raises(ExhaustedError), budget.lend(10**6):
        budget.spend(16)
    with pytest.raises(ExhaustedError):
        budget.spend(1)
