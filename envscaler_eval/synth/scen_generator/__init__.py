"""ScenGenerator: initial states, tasks, checklists and their proofs."""
