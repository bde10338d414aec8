from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.plugins.pictures.bundles import Bundle, bundle_arrows
from pi_contracts.plugins.pictures.scene import make_scene
from pi_contracts.plugins.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.plugins.facets import ReportFile


def test_services_between_two_facets_are_one_bundle_and_faulty_ones_another(
    facets: Callable[[str], ReportFile],
) -> None:
    text = "b:x;; app/s app/t* app/u\na:x; app/s app/t* app/u* app/gone;"
    plan = make_plan(None, [facets(text)])
    assert list(bundle_arrows(make_scene(plan, plan.findings))) == [
        Bundle(0, 1, ("app/s", "app/t*"), is_faulty=False),
        Bundle(0, 1, ("app/u*",), is_faulty=True),
        Bundle(None, 1, ("app/gone",), is_faulty=True),
    ]
