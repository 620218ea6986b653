"""Codes of access and of repetition that the API answers, for people. No function loads this."""

from __future__ import annotations

from loopstep.runtime.error_pages import ErrorPage

PROBLEM_PAGES: dict[str, ErrorPage] = {
    "access.denied": ErrorPage(
        "The caller may not do this",
        "The gateway knows the caller, but none of its roles is one that the route needs; `needs` names those of which "
        "one suffices. Nothing that the request names was looked at.",
        "`loopstep keys me` says who you are and which roles you have. An admin gives them with `loopstep keys put`, "
        "or the issuer of your token does.",
    ),
    "key.unknown": ErrorPage(
        "There is no registered caller of that id",
        "Only callers that were registered with their roles can be read and taken out. What the gateway lets in is "
        "another list.",
        "`loopstep keys list` has the registered ones; `loopstep keys me`, called with a key, says its id.",
    ),
    "key.own": ErrorPage(
        "A caller cannot take the role admin from itself",
        "Else the last admin could lock everybody out by mistake.",
        "Let another admin do it. On AWS the stack's own key stays an admin.",
    ),
    "key.conflict": ErrorPage(
        "Others kept changing the caller at the same time",
        "Each change is stored only in the place of the one that was read. Nothing was stored.",
        "Read it with `loopstep keys list`, and try again.",
    ),
    "idempotency.conflict": ErrorPage(
        "Another request was made with this Idempotency-Key",
        "A key stands for one request of one caller to one address: query, Content-Type and body have to be the same, "
        "byte by byte.",
        "Take a fresh key for another request.",
    ),
    "idempotency.in_progress": ErrorPage(
        "The first request with this Idempotency-Key is still going on",
        "The same request came again before it was answered. It is never done twice at the same time; one whose "
        "function died blocks its key for 40 seconds.",
        "Send it again after `Retry-After` seconds: it gets the first one's answer.",
    ),
}
