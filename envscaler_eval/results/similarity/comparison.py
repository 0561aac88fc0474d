"""Training environments against test environments: who is near whom, and who is a copy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envscaler_eval.results.similarity.overlap import Overlap, overlap
from envscaler_eval.results.similarity.texts import EnvironmentText
from envscaler_eval.results.similarity.vectors import Vectors, vectorise

THRESHOLD = 0.8
"""Cosines from which two texts pass for the same environment told twice."""


@dataclass(frozen=True)
class Neighbour:
    """A test environment, and a training environment near it.

    Attributes:
        test: The test environment's id.
        train: The training environment's id.
        similarity: Cosine of their texts.
        overlap: What their tools share by name.
    """

    test: str
    train: str
    similarity: float
    overlap: Overlap


@dataclass(frozen=True, eq=False)
class Comparison:
    """The texts of training and test environments, as vectors.

    Attributes:
        representation: How texts became vectors; see `vectorise`.
        train: The training environments.
        test: The test environments.
        vectors: A row for each, those of `train` first.
    """

    representation: str
    train: tuple[EnvironmentText, ...]
    test: tuple[EnvironmentText, ...]
    vectors: Vectors

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The cosines, shape (train, test)."""
        count = len(self.train)
        matrix: NDArray[np.float64] = self.vectors[:count] @ self.vectors[count:].T
        return matrix

    def nearest(self) -> list[Neighbour]:
        """Return each test environment's nearest training environment."""
        best = self.matrix.argmax(axis=0)
        return [self._neighbour(int(row), column) for column, row in enumerate(best)]

    def duplicates(self, threshold: float = THRESHOLD) -> list[Neighbour]:
        """Return the pairs whose similarity reaches a threshold, the most similar first."""
        pairs = np.argwhere(self.matrix >= threshold)
        found = [self._neighbour(int(row), int(column)) for row, column in pairs]
        return sorted(found, key=lambda pair: -pair.similarity)

    def ranking(self) -> list[tuple[str, float]]:
        """Return the training environments by their similarity to the test's closest one."""
        closest = self.matrix.max(axis=1)
        order = np.argsort(-closest, kind="stable")
        return [(self.train[row].id, float(closest[row])) for row in order]

    def map(self) -> NDArray[np.float64]:
        """Return coordinates in the plane that shows the most of the distances between all.

        These are the first two principal components, in the order of `vectors`; their
        signs are fixed so that the same vectors give the same map.
        """
        centred = self.vectors - self.vectors.mean(axis=0)
        left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
        plane: NDArray[np.float64] = np.zeros((len(centred), 2))
        kept = min(2, len(sizes))
        plane[:, :kept] = left[:, :kept] * sizes[:kept]
        furthest = plane[np.abs(plane).argmax(axis=0), [0, 1]]
        return plane * np.where(furthest < 0, -1.0, 1.0)

    def _neighbour(self, row: int, column: int) -> Neighbour:
        train, test = self.train[row], self.test[column]
        similarity = float(self.matrix[row, column])
        return Neighbour(test.id, train.id, similarity, overlap(train, test))


def compare_texts(
    train: Sequence[EnvironmentText],
    test: Sequence[EnvironmentText],
    representation: str = "tfidf",
) -> Comparison:
    """Compare the texts of training environments with those of test environments.

    Args:
        train: The training environments, at least one.
        test: The test environments, at least one.
        representation: See `vectorise`.

    Raises:
        UsageError: The representation cannot be had.
    """
    vectors = vectorise([text.parts for text in (*train, *test)], representation)
    return Comparison(representation, tuple(train), tuple(test), vectors)
