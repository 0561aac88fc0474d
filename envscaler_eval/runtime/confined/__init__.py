"""The other side of the wall: the fork server, its workers, and what confines them.

Imports little, since every import makes each fork slower and larger.
"""
