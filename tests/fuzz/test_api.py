"""Whatever is asked of the API is answered below 500, a refusal as a problem (issue 5)."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import asking, inputs
from tests.fuzz.test_fuzz import SETTINGS

IDS = st.sampled_from(asking.IDS) | st.text(max_size=8)
BODIES = st.none() | inputs.bitten(asking.BODIES) | inputs.JSON.map(lambda value: json.dumps(value)) | inputs.words(8)
QUERIES = st.dictionaries(
    st.sampled_from(asking.QUERIES), st.sampled_from(asking.QUERY_VALUES) | inputs.words(3), max_size=2
)
HEADERS = st.dictionaries(
    st.sampled_from(asking.HEADERS), st.sampled_from(asking.HEADER_VALUES) | inputs.words(2), max_size=2
)


def test_whatever_is_asked(asked: asking.Asked) -> None:
    @SETTINGS
    @given(st.sampled_from(asking.ROUTES), st.lists(IDS, min_size=3, max_size=3), BODIES, QUERIES, HEADERS)
    def whatever(
        route: tuple[str, str], ids: list[str], body: str | None, query: dict[str, str], headers: dict[str, str]
    ) -> None:
        asked(route, ids, body, query, headers)

    whatever()
