"""From many topics to few."""

import pytest

from envscaler_eval.synth.skel_builder.mining import Topic, topic_id
from envscaler_eval.synth.skel_builder.selection import SelectionRules, select

FIELDS = {
    "Harbour berths": "boats moor at berths in a harbour, and the harbour master assigns berths",
    "Harbour pilots": "pilots board boats outside a harbour, and the harbour office assigns pilots",
    "Blood bank": "donors give blood, and hospitals order units of blood by group and date",
    "Organ registry": "hospitals register patients who wait for organs, by blood group and date",
    "Seed vault": "seeds of crops are stored in lots, tested for germination and handed out",
    "Crop trials": "seeds of crops are sown on plots, and germination and yield are measured",
}


def topic(title: str, usefulness: int = 8, modelability: int = 8, about: str = "") -> Topic:
    return Topic(
        id=topic_id(title),
        title=title,
        introduction=about or FIELDS.get(title, title),
        domain="a field",
        usefulness=usefulness,
        modelability=modelability,
        tasks=(f"A task for {title} with {usefulness} and {modelability}.",),
    )


def titles(topics: list[Topic], **rules: object) -> list[str]:
    chosen = select(topics, SelectionRules(**rules)).chosen  # type: ignore[arg-type]
    return [topic.title for topic in chosen]


def test_of_one_name_the_best_stays_with_the_tasks_of_all() -> None:
    topics = [topic("Seed vault", 9, 7), topic("Seed Vault", 7, 9), topic("Seed vault!", 8, 9)]
    selection = select(topics, SelectionRules())
    (kept,) = selection.chosen
    assert (kept.title, kept.usefulness) == ("Seed vault!", 8)
    assert len(kept.tasks) == 3
    assert "is the same as" in selection.refused[0]


def test_topics_that_read_alike_are_one() -> None:
    about = FIELDS["Blood bank"]
    topics = [topic("Blood bank"), topic("Blood bank stock", 9, about=about), topic("Seed vault")]
    selection = select(topics, SelectionRules(likeness=0.6))
    assert {kept.title for kept in selection.chosen} == {"Blood bank stock", "Seed vault"}
    assert "reads like 'Blood bank stock'" in selection.refused[0]
    assert len(selection.chosen[0].tasks) == 2


@pytest.mark.parametrize(("usefulness", "modelability"), [(6, 9), (9, 6)])
def test_both_scores_must_reach_the_bar(usefulness: int, modelability: int) -> None:
    topics = [topic("Seed vault", usefulness, modelability)]
    assert titles(topics) == []
    assert titles(topics, least_score=6) == ["Seed vault"]


def test_each_cluster_sends_the_topic_nearest_to_its_centre() -> None:
    topics = [topic(title) for title in FIELDS]
    chosen = titles(topics, clusters=3)
    pairs = [set(list(FIELDS)[at : at + 2]) for at in (0, 2, 4)]
    assert [len(pair & set(chosen)) for pair in pairs] == [1, 1, 1]


def test_the_silhouette_finds_the_number_of_clusters() -> None:
    topics = [topic(title) for title in FIELDS]
    assert len(titles(topics)) == 3
    assert len(titles(topics, most_clusters=2)) == 2


def test_whoever_is_not_chosen_is_told_why() -> None:
    topics = [topic(title) for title in FIELDS]
    selection = select(topics, SelectionRules(clusters=2))
    assert len(selection.refused) == 4
    assert all("is represented in its cluster" in reason for reason in selection.refused.values())


def test_a_choice_is_the_same_every_time() -> None:
    topics = [topic(title) for title in FIELDS]
    assert select(topics, SelectionRules()) == select(topics, SelectionRules())


def test_few_topics_are_all_kept_unless_fewer_are_asked_for() -> None:
    topics = [topic("Seed vault"), topic("Blood bank")]
    assert len(titles(topics)) == 2
    assert len(titles(topics, clusters=1)) == 1
    assert titles([]) == []
