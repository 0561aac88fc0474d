"""How skill grows with the number of environments."""
