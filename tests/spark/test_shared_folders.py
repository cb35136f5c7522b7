"""The next write finishes an unfinished one, unless another user may have forged it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.users import MALLORY, as_user, shared_folder

from parquetext.errors import Refused
from parquetext.spark.output import committing
from parquetext.spark.output.staging import Folder, stagings
from parquetext.storage import Target

DEAD = "00000000-1-1-forged"  # a driver on another machine

shared = pytest.fixture(shared_folder)


def decided(folder: Path, **manifest) -> None:
    """A staging folder with a decision that nobody has carried out."""
    (folder / "attempts").mkdir(parents=True)
    pq.write_table(pa.table({"n": [1]}), folder / "attempts" / "part-0")
    whole = {"moves": [[str(folder / "attempts" / "part-0"), "part-0"]], "mode": "append", **manifest}
    (folder / "commit.json").write_text(json.dumps(whole))


@pytest.fixture
def dataset(shared) -> Folder:
    (shared / "data").mkdir()
    (shared / "victim").mkdir()
    (shared / "victim" / "file").write_bytes(b"the victim's")
    return Folder.of(Target(str(shared / "data")))


def staging_of(dataset: Folder) -> Path:
    return Path(dataset.parent.path) / f".data.parquetext-{DEAD}"


def test_the_unfinished_write_of_this_user_is_carried_out(dataset):
    decided(staging_of(dataset), dataset=dataset.path)
    committing.settle_leftovers(dataset, forgotten=0)
    assert os.path.exists(f"{dataset.path}/part-0") and not staging_of(dataset).exists()


def test_that_of_a_stranger_in_a_shared_folder_is_left_alone(dataset):
    assert as_user(MALLORY, lambda: decided(staging_of(dataset), dataset=dataset.path)) == "None"
    assert stagings(dataset) == []
    assert committing.settle_leftovers(dataset, forgotten=0) == []
    assert os.listdir(dataset.path) == [] and staging_of(dataset).exists()


def test_a_link_to_a_folder_is_not_a_staging_folder(dataset, shared):
    staging_of(dataset).symlink_to(shared / "victim")
    assert committing.settle_leftovers(dataset, forgotten=0) == []
    assert os.listdir(shared / "victim") == ["file"]


@pytest.mark.parametrize(
    "forged",
    [
        {"dataset": "/{shared}/victim"},
        {"dataset": "/{shared}/victim", "mode": "overwrite", "removed": ["file"]},
        {"removed": ["../victim/file"], "mode": "overwrite"},
        {"removed": ["/{shared}/victim/file"], "mode": "overwrite"},
        {"moves": [["/{shared}/victim/file", "part-0"]]},
        {"moves": [["{staging}/../victim/file", "part-0"]]},
        {"moves": [["{staging}/attempts/part-0", "../victim/file"]]},
        {"mode": "overwrite partitions", "partitions": [["../victim", 0]]},
    ],
)
def test_a_decision_about_other_paths_is_refused(dataset, shared, forged):
    filled = json.loads(
        json.dumps(forged).replace("/{shared}", str(shared)).replace("{staging}", str(staging_of(dataset)))
    )
    decided(staging_of(dataset), **{"dataset": dataset.path, **filled})
    with pytest.raises(Refused, match="names places outside"):
        committing.settle_leftovers(dataset, forgotten=0)
    assert (shared / "victim" / "file").read_bytes() == b"the victim's" and os.listdir(dataset.path) == []
