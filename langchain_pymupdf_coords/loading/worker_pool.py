"""Worker processes that read windows of pages.

Each worker is an executor of one process, so that the death of one does not take the others along, and the
task that it was busy with is known. Processes are spawned: a fork while another thread runs the layout model
hangs.
"""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from langchain_pymupdf_coords.errors import OptionError, WorkerError
from langchain_pymupdf_coords.loading.worker import begin_work, load_engine

_ATTEMPTS = 2

Result = TypeVar("Result")


class Task(Generic[Result]):
    """A call that a worker makes. Its result can be asked for once."""

    def __init__(
        self, pool: "WorkerPool", what: str, function: Callable[..., Result], args: Any, size: int
    ) -> None:
        self._pool = pool
        self._call = function, args
        self.what = what
        self.size = size
        self.attempts = 0
        self.future: Future[Result] = Future()

    def start(self, executor: ProcessPoolExecutor) -> None:
        """Hand the call to a worker, which may be dead already."""
        try:
            self.future = executor.submit(self._call[0], *self._call[1])
        except BrokenProcessPool as cause:
            self.future = Future()
            self.future.set_exception(cause)

    def result(self) -> Result:
        """Wait for the result.

        Raises:
            WorkerError: The process that made the call died, twice.
            PyMuPDFCoordsError: What the call raised.
        """
        while True:
            try:
                return self.future.result()
            except BrokenProcessPool as cause:
                self._pool.replace_worker_of(self, cause)


class _Worker:
    """An executor of one process, and what it was asked to do, in order."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._far_end, self._lifeline = context.Pipe(duplex=False)
        self.tasks: list[Task[Any]] = []
        self.executor = ProcessPoolExecutor(
            1, mp_context=context, initializer=begin_work, initargs=(self._far_end,)
        )
        self.executor.submit(load_engine)  # which starts the process

    def unfinished(self) -> list[Task[Any]]:
        self.tasks = [task for task in self.tasks if not _is_finished(task.future)]
        return self.tasks

    def start(self, task: Task[Any]) -> None:
        self.tasks.append(task)
        task.start(self.executor)

    def end(self) -> None:
        """End the process, whatever it is busy with."""
        end_of(self._lifeline)
        self.executor.shutdown(wait=True, cancel_futures=True)
        self._far_end.close()


def end_of(lifeline: Connection) -> None:
    """Tell the process at the other end to end; a copy of this end in another process changes nothing."""
    try:
        lifeline.send_bytes(b".")
    except OSError:
        pass
    finally:
        lifeline.close()


def _is_finished(future: "Future[Any]") -> bool:
    return future.done() and not isinstance(future.exception(), BrokenProcessPool)


class WorkerPool:
    """A number of workers, all started with the first call. Ends with all its processes when it is closed."""

    def __init__(self, workers: int) -> None:
        """Check that there may be workers.

        Raises:
            OptionError: This process is daemonic, so it may have no children.
        """
        if multiprocessing.current_process().daemon:
            raise OptionError(
                f"workers={workers}: a daemonic process, such as a worker of a pool, may not start others; "
                'pass workers=1, or "auto"'
            )
        self._most = workers
        self._workers: list[_Worker] = []

    def submit(self, what: str, function: Callable[..., Result], *args: Any, size: int = 1) -> Task[Result]:
        """Call a function in the worker that has least to do.

        Args:
            what: File and pages that the call is about, for messages.
            function: A function of a module.
            args: Its arguments.
            size: How much it has to do, against other calls.
        """
        task = Task(self, what, function, args, size)
        self._idlest().start(task)
        return task

    def _idlest(self) -> _Worker:
        while len(self._workers) < self._most:
            self._workers.append(_Worker())
        return min(self._workers, key=lambda worker: sum(task.size for task in worker.unfinished()))

    def replace_worker_of(self, task: Task[Any], cause: BrokenProcessPool) -> None:
        """Start the tasks of a dead worker again in a new one.

        The first that it did not finish is the one that it died of.

        Raises:
            WorkerError: That task has been tried before; the others go on.
        """
        dead = next(worker for worker in self._workers if task in worker.tasks)
        blamed, *others = dead.unfinished()
        blamed.attempts += 1
        self._workers.remove(dead)
        dead.end()
        again = others if blamed.attempts >= _ATTEMPTS else [blamed, *others]
        if again:
            worker = _Worker()
            self._workers.append(worker)
            for other in again:
                worker.start(other)
        if blamed not in again:
            blamed.future = Future()
            blamed.future.set_exception(_worker_error(blamed.what, cause))

    def close(self) -> None:
        """End all workers, whatever they are busy with."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.end()


def _worker_error(what: str, cause: BrokenProcessPool) -> WorkerError:
    error = WorkerError(
        f"{what}: its worker died twice; it crashed, was killed (out of memory?), or could not start; "
        "a script that uses workers must guard its code with: if __name__ == '__main__'"
    )
    error.__cause__ = cause
    return error
