"""Who calls the API, by the token of the request (parameter ApiAuth=jwt). API Gateway asks it before the API does.

"Unauthorized" is the one text that API Gateway makes a 401 of. Nothing of a token is logged.
"""

from __future__ import annotations

import os
import time
from typing import Any

from aws_lambda_powertools import Logger

from loopstep.gateways.tokens import BadToken, Tokens, fetch_json
from loopstep.services.authorize_token import TokenRules, authorize_token

logger = Logger(service="loopstep")

_TOKENS = Tokens(
    os.environ["JWT_ISSUER"], os.environ["JWT_AUDIENCE"], os.environ["JWT_KEYS_URL"], fetch_json, time.monotonic
)
_RULES = TokenRules(os.environ["JWT_CALLER_CLAIM"], os.environ["JWT_ROLES_CLAIM"])


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The policy for a token's caller; raises for one that proves nothing."""
    try:
        policy = authorize_token(_TOKENS, _RULES, event)
    except BadToken as bad:
        logger.info("refused", reason=str(bad))
        raise Exception("Unauthorized") from None
    logger.info("authorized", caller=f"jwt {policy['principalId']}")
    return policy
