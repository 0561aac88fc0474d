"""Results: reading, statistics, comparison."""
