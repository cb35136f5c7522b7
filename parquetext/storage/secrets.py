"""Remove credentials from URLs in error messages: libraries tell whole URLs in their errors."""

from __future__ import annotations

import re

__all__ = ["without_secrets"]

_VALUE = re.compile(
    r"([?&](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|client_secret|"
    r"secret_key|account_key|api_?key|sas_token|session_token|access_token|token|password)=)[^&'\"\s]+",
    re.IGNORECASE,
)
_PASSWORD = re.compile(r"(://[^/@:\s'\"]*:)(?!\d+/)[^@\s'\"]+@")  # a port is none


def without_secrets(text: str) -> str:
    """The text with an ellipsis for each signature, token and password in its URLs."""
    return _PASSWORD.sub(r"\1…@", _VALUE.sub(r"\1…", text))
