"""Synthesis: from plain tasks to environments and scenarios that are proven."""
