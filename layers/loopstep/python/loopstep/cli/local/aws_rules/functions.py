"""Lambda: the error types of the managed Python runtime, and the sizes of payloads."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from . import sizes
from .emulated import lambdas, refusal, rewrite, runtime, wrap

SCRIPT = "_PYTHON_WORKER_SCRIPT"
INIT = "Worker init failed: "
DIED = "Worker process died"

# Goes into the worker that runs a function. Error types: the runtime interface client of Python, where an exception is
# its class name and a fault of the function's package has a name of the runtime.
REPORTS = """
class _ReplyError(Exception):
    pass

_ReplyError.__name__ = "Runtime.MarshalError"

def _strict_reply(result):
    try:
        return json.dumps({"status": "ok", "result": result})
    except (TypeError, ValueError) as fault:
        raise _ReplyError("Unable to marshal response: " + str(fault)) from None

def _strict_error(kind, message, trace):
    return json.dumps({"errorMessage": message, "errorType": kind, "stackTrace": trace})

def _strict_raised(fault):
    return _strict_error(type(fault).__name__, str(fault), traceback.format_tb(fault.__traceback__))

def _strict_not_loaded(fault, module_name, handler_name):
    if isinstance(fault, ImportError):
        text = "Unable to import module '" + module_name + "': " + str(fault)
        return _strict_error("Runtime.ImportModuleError", text, [])
    if isinstance(fault, SyntaxError):
        text = "Syntax error in module '" + module_name + "': " + str(fault)
        return _strict_error("Runtime.UserCodeSyntaxError", text, [])
    if isinstance(fault, AttributeError) and "'" + handler_name + "'" in str(fault):
        text = "Handler '" + handler_name + "' missing on module '" + module_name + "'"
        return _strict_error("Runtime.HandlerNotFound", text, [])
    return _strict_raised(fault)

def run():
"""


def apply() -> None:
    """Patch the emulator."""
    rewrite(runtime, SCRIPT, '"error": str(e), "trace"', '"error": _strict_raised(e), "trace"')
    rewrite(runtime, SCRIPT, '"error": str(e)})', '"error": _strict_not_loaded(e, module_name, handler_name)})')
    rewrite(runtime, SCRIPT, 'json.dumps({"status": "ok", "result": result})', "_strict_reply(result)")
    rewrite(runtime, SCRIPT, "\ndef run():\n", REPORTS)
    wrap(lambdas, "_execute_function_warm", named_errors)
    wrap(lambdas, "_invoke", limited_request)


def named_errors(original: Callable[..., Any]) -> Callable[..., Any]:
    """The error type is the exception's class name, Runtime.ExitError where the process ended; a reply above 6 MB fails
    with Function.ResponseSizeTooLarge."""

    def execute(func: Any, event: Any, request_id: Any) -> Any:
        result = original(func, event, request_id)
        body = result.get("body")
        if result.get("error") and isinstance(body, dict) and "errorMessage" in body:
            return {**result, "body": _error(body, request_id)}
        if not result.get("error") and sizes.size_of(body) > sizes.INVOKE_REPLY:
            text = f"Response payload size exceeded maximum allowed payload size ({sizes.INVOKE_REPLY} bytes)."
            large = {"errorMessage": text, "errorType": "Function.ResponseSizeTooLarge"}
            return {**result, "body": large, "error": True}
        return result

    return execute


def _error(body: dict[str, Any], request_id: str) -> dict[str, Any]:
    message = str(body["errorMessage"]).removeprefix(INIT)
    if message == DIED:
        text = f"RequestId: {request_id} Error: Runtime exited with error: exit status 1"
        return {"errorMessage": text, "errorType": "Runtime.ExitError"}
    try:
        reported = json.loads(message)
    except ValueError:
        return body
    return {**reported, "requestId": request_id} if isinstance(reported, dict) else body


def limited_request(original: Callable[..., Any]) -> Callable[..., Any]:
    """Lambda quotas: 6 MB for a request that waits for its reply, 1 MB for one that does not.

    Above it: RequestTooLargeException."""

    async def invoke(name: Any, event: Any, headers: Any, path_qualifier: Any = None, query_params: Any = None) -> Any:
        waits = "Event" not in (headers.get("x-amz-invocation-type"), headers.get("X-Amz-Invocation-Type"))
        most = sizes.INVOKE_REQUEST if waits else sizes.INVOKE_ASYNC_REQUEST
        if sizes.size_of(event) > most:
            text = f"Request must be smaller than {most} bytes for the InvokeFunction operation"
            return refusal("RequestTooLargeException", text, 413)
        return await original(name, event, headers, path_qualifier, query_params)

    return invoke
