"""The single path of every read: request, plan, choose, execute.

Each stage is a package that produces a frozen value:

1. `request` checks the arguments and resolves names to leaves: `Request`.
2. `plan` selects row groups, pages and byte ranges from the footer and indexes, without reading data: `Plan`.
3. `choose` assigns a decoder to each part of the plan, and states the reason: `Choice`.
4. `execute` fetches, decodes, filters and assembles the values.

`fields` describes how Parquet's schema becomes Arrow fields; all stages use it.
"""
