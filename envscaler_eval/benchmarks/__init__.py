"""Adapters of published benchmarks: their data, worlds and oracle scripts."""
