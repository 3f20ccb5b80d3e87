"""Running what is missing, side by side, and keeping each block as soon as it is done."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator, Iterable

from ..errors import UnclusteredError
from .blocks import Block, run_block
from .protocol import Trial
from .store import Store

__all__ = ["run_blocks"]

Done = tuple[Block, tuple[Trial, ...]]


def run_blocks(
    blocks: Iterable[Block], store: Store, *, data_dir: str | None = None, jobs: int = 1
) -> Generator[Done, None, None]:
    """Run blocks, write each to the store, and give each back when it is done, in any order.

    Every job has one thread: a thread more inside BLAS would only get in the way, and could change
    the last digit of a sum. So the figures do not depend on ``jobs``.
    """
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import BrokenProcessPool

    todo = list(blocks)
    if jobs == 1 or len(todo) <= 1:
        yield from (_run_and_keep(block, store, data_dir) for block in todo)
        return
    parent = os.getpid()
    with parallel_config("loky", inner_max_num_threads=1):
        # batch_size=1: a batch would hold back what is already done.
        running = Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")(
            delayed(_run_and_keep)(block, store, data_dir, parent) for block in todo
        )
    try:
        yield from running
    except BrokenProcessPool as error:
        raise UnclusteredError(
            "A process of the run was killed, perhaps for want of memory. What is done is kept: "
            "start again, with fewer jobs."
        ) from error


def _run_and_keep(
    block: Block, store: Store, data_dir: str | None, parent: int | None = None
) -> Done:
    from threadpoolctl import threadpool_limits

    if parent not in (None, os.getpid()) and threading.current_thread() is threading.main_thread():
        # Ctrl-C reaches every process of the terminal: the parent answers it for all.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    with threadpool_limits(1):
        trials = run_block(block, data_dir)
    store.write(block, trials)
    return block, trials
