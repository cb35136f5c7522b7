"""The prose of the project is plain English, measured by counts of words that hide a sentence's subject or condition.

The counts cover docstrings, comments, messages and help texts in Python, comments in C, Java and Cython, and Markdown
outside of code. They are only a thermometer: reading pages aloud finds more.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
SUFFIXES = {".py", ".pyx", ".pxd", ".c", ".h", ".java", ".md"}
SKIPPED = {".git", "build", "node_modules"}

WORDS = {"what": r"\bwhat\b", "where": r"\bwhere\b", "stand": r"\bstands?\b", "if": r"\bif\b"}

# A tenth of the time that `tokenize` takes to find the same comments.
STRING_OR_COMMENT = re.compile(
    r'''(?s:"""(?:\\.|.)*?"""|\'{3}(?:\\.|.)*?\'{3})|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#.*'''
)

# Of 10,000 words of the whole product, and of 10,000 names that its Python code defines.
PRODUCT = ("parquetext", "csrc", "jvm", "docs", "README.md")
MOST = {"what": 15, "where": 25, "stand": 5}
LEAST = {"if": 50}
MOST_NAMES = {"place": 10, "facts": 5, "told": 3}

ROOTS = (*PRODUCT, "CONTRIBUTING.md", "benchmarks", "tests")


class Counts(NamedTuple):
    """Counts below one root."""

    words: int
    of_words: Counter[str]
    names: int
    of_names: Counter[str]

    def rate(self, word: str) -> float:
        """Return how often a word occurs in 10,000 words."""
        return self.of_words[word] * 1e4 / max(self.words, 1)

    def rate_of_name(self, part: str) -> float:
        """Return how often a part of names occurs in 10,000 names."""
        return self.of_names[part] * 1e4 / max(self.names, 1)


def files_below(root: str) -> Iterator[Path]:
    path = ROOT / root
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.suffix in SUFFIXES and not SKIPPED & {*file.relative_to(ROOT).parts}:
            yield file


def prose_of(suffix: str, text: str, tree: ast.Module | None = None) -> str:
    """Return the prose of a file; of Python code, with its tree."""
    if suffix == ".md":
        without_code = re.sub(r"(?m)^(?:    |\t).*$", "", re.sub(r"(?s)```.*?```", " ", text))
        return re.sub(r"`[^`]*`", " ", without_code)
    if tree is not None:
        return "\n".join(_prose_of_python(text, tree))
    comments = re.findall(r"(?s)/\*(.*?)\*/", text) + re.findall(r"//(.*)", text)
    if suffix in (".pyx", ".pxd"):
        comments += re.findall(r"(?m)#(.*)$", text)
    return "\n".join(comments)


def _prose_of_python(text: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
        elif isinstance(node, ast.JoinedStr):
            yield _message(
                "".join(str(part.value) if isinstance(part, ast.Constant) else " x " for part in node.values)
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n    " not in node.value:
            yield _message(node.value)
    for found in STRING_OR_COMMENT.finditer(text):
        if found[0].startswith("#"):
            yield found[0].lstrip("# ")


def _message(text: str) -> str:
    """Return a string that is a message or a help text: four words or more, and no code."""
    is_message = len(re.findall(r"\b[a-z]{2,}\b", text)) >= 4 and not re.search(r"[{};=]|SELECT", text)
    return text if is_message else ""


def names_of(tree: ast.Module) -> Iterator[str]:
    """Yield the names that Python code defines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


@cache
def counts(root: str) -> Counts:
    words, names, of_words, of_names = 0, 0, Counter(), Counter()
    for file in files_below(root):
        text = file.read_text("utf-8", "replace")
        tree = ast.parse(text) if file.suffix == ".py" else None
        prose = prose_of(file.suffix, text, tree)
        words += len(re.findall(r"[A-Za-z']+", prose))
        of_words.update({word: len(re.findall(pattern, prose, re.IGNORECASE)) for word, pattern in WORDS.items()})
        for name in names_of(tree) if tree is not None else ():
            names += 1
            of_names.update(re.findall(r"[a-z]+", re.sub(r"([A-Z])", r"_\1", name).lower()))
    return Counts(words, of_words, names, of_names)


def counts_of(roots: tuple[str, ...]) -> Counts:
    return Counts(*(sum(parts[1:], parts[0]) for parts in zip(*map(counts, roots), strict=True)))


@pytest.fixture(autouse=True)
def _checkout():
    if not (ROOT / "README.md").exists():
        pytest.skip("only in a checkout")


@pytest.mark.parametrize("word", MOST)
@pytest.mark.parametrize("root", ROOTS)
def test_prose_states_conditions_and_subjects(root, word):
    assert counts(root).rate(word) <= MOST[word]


@pytest.mark.parametrize("part", MOST_NAMES)
def test_names_of_the_product_are_the_terms_of_the_field(part):
    assert counts_of(PRODUCT).rate_of_name(part) <= MOST_NAMES[part]


@pytest.mark.parametrize("word", LEAST)
def test_conditions_of_the_product_are_written_with_if(word):
    assert counts_of(PRODUCT).rate(word) >= LEAST[word]
