"""Environments to train on and those of tests: who is near whom, and who is a copy."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from envscaler_eval.results.similarity.overlap import Overlap, overlap
from envscaler_eval.results.similarity.texts import PACKS, EnvironmentText
from envscaler_eval.text_vectors import Vectors, vectorise

THRESHOLD = 0.8
"""From where two environments pass for the same one told twice."""

# About so many neighbours of each environment count on the map.
_NEIGHBOURS = 6.0


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


@dataclass(frozen=True)
class Pair:
    """Two of the compared environments, of whichever side.

    Attributes:
        first: The id of the one that was named first.
        second: The other's id.
        similarity: Cosine of their texts.
        overlap: What their tools share by name.
    """

    first: str
    second: str
    similarity: float
    overlap: Overlap

    @property
    def closeness(self) -> float:
        """Similarity or the share of tools: new words do not hide old tools, nor the reverse."""
        return max(self.similarity, self.overlap.tools)


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

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """The cosines, shape (train, test)."""
        count = len(self.train)
        matrix: NDArray[np.float64] = self.vectors[:count] @ self.vectors[count:].T
        return matrix

    def nearest(self) -> list[Neighbour]:
        """Return each test environment's nearest training environment."""
        best = self.matrix.argmax(axis=0)
        return [self._neighbour(int(row), column) for column, row in enumerate(best)]

    def pairs(self) -> list[Pair]:
        """Return any two environments, the closest first.

        Also two to train on, or two packs to test on: a copy within either counts one
        environment twice. Two of benchmarks are left out; they are as their authors made them.
        """
        texts = (*self.train, *self.test)
        cosines = self.vectors @ self.vectors.T
        found = [
            Pair(
                texts[row].id,
                texts[column].id,
                float(cosines[row, column]),
                overlap(texts[row], texts[column]),
            )
            for row, column in combinations(range(len(texts)), 2)
            if row < len(self.train) or PACKS in (texts[row].source, texts[column].source)
        ]
        return sorted(found, key=lambda pair: -pair.closeness)

    def ranking(self) -> list[tuple[str, float]]:
        """Return the training environments by their similarity to the test's closest one."""
        closest = self.matrix.max(axis=1)
        order = np.argsort(-closest, kind="stable")
        return [(self.train[row].id, float(closest[row])) for row in order]

    def map(self) -> NDArray[np.float64]:
        """Return coordinates in a plane in which neighbours by text are neighbours.

        By t-SNE with the exact gradient and from the principal components, so that the same
        vectors give the same map. Distances between groups, and the axes, mean nothing.
        """
        from sklearn.manifold import TSNE

        count = len(self.vectors)
        perplexity = min(_NEIGHBOURS, (count - 1) / 3)
        projection = TSNE(
            metric="cosine", init="pca", method="exact", perplexity=perplexity, random_state=0
        )
        plane: NDArray[np.float64] = projection.fit_transform(self.vectors).astype(np.float64)
        return plane

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
