"""The compiled kernels. In an archive they cannot be loaded: there they are copied out, for this user alone."""

from __future__ import annotations


def _copied_out(archive: str) -> str:
    """Return the directory with the compiled modules of this package in an archive."""
    import importlib.machinery
    import zipfile

    from ..private import keep

    inside = f"{__name__.replace('.', '/')}/"
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    with zipfile.ZipFile(archive) as opened:
        names = [name for name in opened.namelist() if name.startswith(inside) and name.endswith(suffixes)]
        return str(keep({name.removeprefix(inside): opened.read(name) for name in names}))


archive = getattr(__spec__.loader, "archive", None)
if archive is not None:
    try:
        __path__.append(_copied_out(archive))
    except OSError as error:
        raise ImportError(f"they cannot be copied out of {archive}: {error}") from error
