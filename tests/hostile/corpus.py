"""Every hostile case by a name of its own."""

from __future__ import annotations

from tests.hostile.costly import COSTLY
from tests.hostile.others import OTHERS
from tests.hostile.plans import PLANS, Case

CASES: dict[str, Case] = {**{f"plan: {name}": case for name, case in {**PLANS, **COSTLY}.items()}, **OTHERS}
