"""A person who makes a call by filling its form in."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from envscaler_eval.playground.form_fields import Field
from envscaler_eval.scenario import ToolCall

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def call_by_hand(page: "Page", call: ToolCall, fields: Sequence[Field]) -> None:
    """Open a tool, fill its form in, and call it; returns when the call is shown."""
    done = page.locator(".step").count()
    fill_in(page, call, fields)
    form = page.get_by_role("form", name=call.name, exact=True)
    form.get_by_role("button", name="Call", exact=True).click()
    page.locator(".step").nth(done).wait_for()


def fill_in(page: "Page", call: ToolCall, fields: Sequence[Field]) -> None:
    """Open a tool and fill its form in."""
    form = page.get_by_role("form", name=call.name, exact=True)
    if not form.is_visible():
        page.locator(f"#tools summary:has(.name:text-is('{call.name}'))").click()
    for field in fields:
        _fill(form, call.name, field, field.key, call.arguments.get(field.key))


def _fill(form: "Locator", tool: str, field: Field, name: str, value: Any) -> None:
    if field.kind == "object":
        for inner in field.fields:
            given = value.get(inner.key) if value else None
            _fill(form, tool, inner, f"{name}/{inner.key}", given)
        return
    if field.kind in ("list", "mapping"):
        _fill_entries(form, tool, field, name, value or [])
        return
    control = form.locator(f'[id="{tool}--{name}"]')
    if field.kind in ("choice", "boolean"):
        control.select_option("" if value is None else json.dumps(value, ensure_ascii=False))
    else:
        control.fill("" if value is None else str(value))


def _fill_entries(form: "Locator", tool: str, field: Field, name: str, value: Any) -> None:
    assert field.entry is not None
    keyed = field.kind == "mapping"
    entries = list(value.items()) if keyed else list(enumerate(value))
    for number, (key, item) in enumerate(entries):
        inner = f"{name}/{number}"
        last = form.locator(f'button[name="#remove"][value="{inner}"]')
        if not last.count():
            form.locator(f'button[name="#add"][value="{name}"]').click()
            last.wait_for()
        if keyed:
            form.locator(f'[id="{tool}--{inner}/key"]').fill(str(key))
        _fill(form, tool, field.entry, f"{inner}/value" if keyed else inner, item)
