"""All commands, with the arguments that they need besides files."""

from __future__ import annotations

import os

__all__ = ["OF_MANY", "OF_NONE", "OF_ONE"]

OF_MANY = {
    "upgrade": [],
    "add-page-index": [],
    "encode": ["--column", "a", "--encoding", "plain"],
    "encode --advise": [],
    "strip": [],
    "finalize": ["--yes"],
    "restore": [],
    "recover": [],
    "verify": [],
    "inspect": [],
    "schema": [],
    "meta": [],
    "row-groups": [],
    "count": [],
    "rowcount": [],
    "cat": [],
    "merge": ["--out", os.devnull],
    "sidecar build": [],
    "sidecar show": [],
    "sidecar verify": [],
    "sidecar update": [],
    "sidecar compact": [],
}
OF_ONE = {
    "layout": [],
    "pages": ["--column", "a"],
    "columns": [],
    "head": [],
    "bloom": ["a", "1"],
    "explain": [],
    "split": ["--out", os.devnull],
    "rewrite": ["--out", os.devnull],
    "diff": [os.devnull],
}
# They create their files themselves, have no other option for them, or look for files without a partner.
OF_NONE = {"demo", "sidecar prune"}
