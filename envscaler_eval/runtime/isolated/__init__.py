"""Environments that run in workers of their own, for programs from strangers."""

from envscaler_eval.runtime.isolated.runtime import IsolatedRuntime
from envscaler_eval.runtime.isolated.server import Server, SharedServer, shared_server

__all__ = ["IsolatedRuntime", "Server", "SharedServer", "shared_server"]
