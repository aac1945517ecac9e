"""A cluster of two workers on this machine finds what the local pool finds, come what may."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from test_campaign import RELEASE, folder_of, settings, text_of, told

from oracle.campaigns.campaign import Campaign, CampaignSettings
from oracle.campaigns.counts import Tally
from oracle.campaigns.node import NodeSettings
from oracle.campaigns.pools import PoolError
from oracle.campaigns.source import fingerprint
from oracle.commands.options import open_compiler
from oracle.examiner import ExaminerError
from reference.releases import release_rules

distributed = pytest.importorskip("distributed")
cluster_module = pytest.importorskip("oracle.campaigns.cluster")

EXAMPLES = 64

pytestmark = pytest.mark.skipif(
    not RELEASE.explicit_transfer_execution, reason="this release has no placement pass"
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes of one thread each; one that dies is started again."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    ) as made:  # fmt: skip
        yield made


def asked(out: Path) -> CampaignSettings:
    """A run with findings: the rules are those of a release before the compiler's."""
    made = settings(out, 1, examples=EXAMPLES)
    return replace(made, lane=replace(made.lane, rules=release_rules("3.11")[0]))


def node_settings(made: CampaignSettings, **changes: Any) -> NodeSettings:
    compiler = open_compiler("installed")
    node = NodeSettings(
        lane=made.lane,
        run=made.out.name,
        programs=fingerprint(made.lane.source),
        compiler="installed",
        release=compiler.version,
        revision=compiler.revision,
    )
    return replace(node, **changes)


def run_on(
    address: str,
    made: CampaignSettings,
    progress: Callable[[Tally], None] = lambda tally: None,
    **changes: Any,
) -> Tally:
    node = node_settings(made, **changes)
    pool = lambda: cluster_module.ClusterPool(address, node)  # noqa: E731
    return Campaign(made, {}, open_pool=pool).run(progress)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the local pool finds."""
    made = asked(tmp_path_factory.mktemp("local"))
    found = told(Campaign(made, {}).run(lambda tally: None), made)
    assert found["findings"]
    return found


def workers_of(cluster: Any) -> dict[str, int]:
    """The process ids of the cluster's workers."""
    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
        return dict(client.run(os.getpid))


def test_a_cluster_finds_what_the_local_pool_finds(
    cluster: Any, local: dict[str, Any], tmp_path: Path
) -> None:
    made = asked(tmp_path)
    tally = run_on(cluster.scheduler_address, made)
    assert told(tally, made) == local
    for one in tally.findings.values():
        assert (folder_of(made, one) / "program.mlir").read_text() == text_of(one.first_seed)
    # The workers are free again: no compiler is left with them.
    for pid in workers_of(cluster).values():
        left = [child.cmdline() for child in psutil.Process(pid).children(recursive=True)]
        assert not [line for line in left if "worker.py" in " ".join(line)]


def test_a_worker_that_is_killed_half_way_costs_nothing(
    cluster: Any, local: dict[str, Any], tmp_path: Path
) -> None:
    before = workers_of(cluster)
    killed: list[int] = []

    def progress(tally: Tally) -> None:
        if not killed and tally.programs >= EXAMPLES // 2:
            killed.append(min(before.values()))
            os.kill(killed[0], signal.SIGKILL)

    made = asked(tmp_path)
    tally = run_on(cluster.scheduler_address, made, progress)
    assert killed
    assert told(tally, made) == local
    assert killed[0] not in workers_of(cluster).values()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"programs": "other"}, "makes other programs"),
        ({"release": "3.9.0"}, "3.9.0"),
        ({"compiler": "/no/such/python"}, "/no/such/python"),
    ],
)
def test_a_worker_that_is_not_equipped_is_named(
    cluster: Any, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(ExaminerError, match=said):
        run_on(cluster.scheduler_address, asked(tmp_path), **changes)


def test_no_scheduler_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_CONNECT_SECONDS", 0.5)
    with pytest.raises(PoolError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        run_on("tcp://127.0.0.1:9", asked(tmp_path))


def test_a_cluster_without_workers_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_ALONE_SECONDS", 1.0)
    monkeypatch.setattr(cluster_module, "_COUNT_SECONDS", 0.1)
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as empty,
        pytest.raises(PoolError, match="no worker"),
    ):
        run_on(empty.scheduler_address, asked(tmp_path))


def test_workers_with_another_crosscurrent_are_named(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    for package in ("gen", "oracle", "reference"):
        shutil.copytree(root / package, tmp_path / package)
    with (tmp_path / "oracle" / "version.py").open("a", encoding="utf-8") as file:
        file.write("# Another one.\n")
    with distributed.LocalCluster(n_workers=0, processes=True, dashboard_address=":0") as other:
        address = other.scheduler_address
        worker = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny",
             "--no-dashboard", "--nthreads", "1"],
            env={**os.environ, "PYTHONPATH": str(tmp_path)}, cwd=tmp_path,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            with distributed.Client(address, set_as_default=False) as client:
                client.wait_for_workers(1, timeout=60)
            with pytest.raises(PoolError, match="have another crosscurrent"):
                run_on(address, asked(tmp_path / "out"))
        finally:
            worker.kill()
            worker.wait()
