"""The one list of structural checks, which `verify` and `layout` share: counts, places, pages, indexes and filters."""
