"""Making environments: synthesis, and import of what others have made."""
