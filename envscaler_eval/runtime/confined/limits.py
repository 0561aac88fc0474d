"""What a worker may use before it is stopped."""

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Bounds of one worker. A worker has one process and one thread, always.

    Attributes:
        call_seconds: Wall-clock time of a tool call, of the start and of
            handing out the state.
        call_cpu_seconds: Processor time of the same.
        check_seconds: Wall-clock time of one check.
        check_cpu_seconds: Processor time of one check.
        episode_cpu_seconds: Processor time of all calls of an episode.
        memory_mib: Memory beyond what an idle worker has, in MiB.
        message_mib: The longest answer or state that is taken from a worker, in MiB.
        open_files: Open file descriptors.
        file_mib: The longest file in a scratch folder, in MiB.
        scratch_mib: All of a scratch folder, in MiB.
    """

    call_seconds: float = 10.0
    call_cpu_seconds: float = 5.0
    check_seconds: float = 5.0
    check_cpu_seconds: float = 3.0
    episode_cpu_seconds: float = 300.0
    memory_mib: float = 256.0
    message_mib: float = 16.0
    open_files: int = 16
    file_mib: float = 8.0
    scratch_mib: float = 16.0

    @property
    def message_bytes(self) -> int:
        """The longest message, in bytes."""
        return int(self.message_mib * MIB)

    @property
    def judge_memory_mib(self) -> float:
        """Memory of the process that judges: two states at once, decoded."""
        return self.memory_mib + 32 * self.message_mib
