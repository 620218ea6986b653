"""What Hypothesis gives the fuzz targets: the own documents with bites taken out, and texts made of tricks only."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.fuzz.seeds import TRICKS, bite, graft, trees

PIECES = st.sampled_from(TRICKS) | st.text(st.characters(), max_size=4)


def bitten(texts: list[str] | tuple[str, ...], most: int = 4) -> st.SearchStrategy[str]:
    """One of the texts with up to `most` places where something is cut out, put in or said again."""
    bites = st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 12), PIECES), max_size=most)
    return st.builds(bite, st.sampled_from(texts), bites)


def words(most: int = 30) -> st.SearchStrategy[str]:
    """Texts of nothing but pieces."""
    return st.lists(PIECES, max_size=most).map("".join)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**54)
    | st.floats()
    | st.sampled_from(TRICKS)
    | st.sampled_from(["string", "integer", "object", "completed", "in", "say", "done", "PT1S", "plan.input.x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(TRICKS) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def grafted(texts: list[str], most: int = 4) -> st.SearchStrategy[str]:
    """The JSON of one of the documents with values put elsewhere, taken out, or replaced by any other."""
    grafts = st.lists(
        st.tuples(st.integers(0, 10_000), st.sampled_from("rdcm"), JSON, st.integers(0, 10_000)), max_size=most
    )
    return st.builds(graft, st.sampled_from(trees(texts)), grafts)
