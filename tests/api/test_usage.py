"""What an attempt used of models, as the API shows it: the record's own data, described in the OpenAPI document."""

from __future__ import annotations

from loopstep.api.models import Try
from loopstep.gateways.models import Usage
from loopstep.runs.records import Activation, Attempt
from loopstep.runs.views import ActivationView
from loopstep.runtime.tools.account import DONE, REFUSED, Account


def test_an_attempt_with_all_that_it_used() -> None:
    account = Account()
    account.spend(Usage(2, 30, 4), "nova")
    account.called("read_file", DONE)
    account.called("rm", REFUSED, "there is no such tool")
    account.warn("the answer was cut at the model's limit")
    used = account.to_json()
    attempts = (
        Attempt(1, 1, "2026-01-01T00:00:00.000Z", "o", usage=used),
        Attempt(2, 1, "2026-01-01T00:00:01.000Z", "o"),
    )
    record = Activation("m", "", "completed", 1, "2026-01-01T00:00:00.000Z", attempts=attempts)
    first, second = ActivationView(record).to_json()["tries"]
    assert first["usage"] == used and "usage" not in second
    assert Try.model_validate(first).model_dump(exclude_defaults=True)["usage"] == used
    assert Try.model_validate(second).usage is None
