// The page's one script: sends forms, puts what comes back into the page, keeps focus and
// tells screen readers. It builds nothing itself: all markup is made and escaped by the server.
"use strict";

const pageId = crypto.randomUUID ? crypto.randomUUID() : String(Math.random()).slice(2);
const $ = (id) => document.getElementById(id);

function say(text) {
  const place = $("say");
  place.textContent = "";
  // A change of text is what is read out, also when the same is said twice.
  requestAnimationFrame(() => { place.textContent = text; });
}

function complain(text) {
  $("fault").textContent = text;
  $("fault").hidden = !text;
  if (text) $("fault").scrollIntoView({ block: "nearest" });
}

// What a person has opened or folded in a part stays so when the part is drawn anew.
function foldings(part) {
  const found = new Map();
  for (const one of part.querySelectorAll("details[data-toggled]")) found.set(pathOf(one, part), one.open);
  return found;
}

function pathOf(details, part) {
  const names = [];
  for (let one = details; one && one !== part; one = one.parentElement)
    if (one.tagName === "DETAILS") {
      const label = one.querySelector(":scope > summary > .key");
      names.unshift(label ? label.textContent : one.className || one.querySelector("summary").textContent);
    }
  return names.join("/");
}

const typing = (element) => element.matches("input, textarea, select");
const drawn = new Map();

function place(id, html) {
  const part = $(id);
  if (!part) return;
  if (id === "stage") drawn.clear();
  // What is the same stays as it is, with all that has been typed into it.
  else if (drawn.get(id) === html) return;
  drawn.set(id, html);
  const keep = id === "state" || id.endsWith("-state") ? foldings(part) : new Map();
  const active = document.activeElement;
  const focused = part.contains(active) ? (active.id || "") : null;
  const index = focused === null ? -1 : [...part.querySelectorAll("button, input, select, a")].indexOf(active);
  part.innerHTML = html;
  for (const one of part.querySelectorAll("details")) {
    const kept = keep.get(pathOf(one, part));
    if (kept !== undefined && keep.size) { one.open = kept || one.open; one.dataset.toggled = ""; }
  }
  const wanted = part.querySelector("[data-focus]");
  // Not while a person types elsewhere.
  if (wanted && (focused !== null || !typing(active))) wanted.focus();
  else if (focused !== null) {
    // The control that was used is drawn anew: focus stays on it, so that keys go on working.
    const again = (focused && $(focused)) || part.querySelectorAll("button, input, select, a")[index];
    if (again && !again.disabled) again.focus({ preventScroll: true });
    else { part.tabIndex = -1; part.focus({ preventScroll: true }); }
  }
  if (id === "state") showChange(part);
  part.querySelectorAll("[data-follow]").forEach(follow);
}

// Where the state has a pane of its own, what was changed comes into sight in it.
function showChange(part) {
  const pane = part.closest("section");
  const changed = [...part.querySelectorAll(".changed")].find((one) => !one.querySelector(".changed"));
  if (!changed || getComputedStyle(pane).overflowY !== "auto") return;
  const where = changed.getBoundingClientRect(), frame = pane.getBoundingClientRect();
  if (where.top < frame.top || where.bottom > frame.bottom) pane.scrollTop += where.top - frame.top - frame.height / 3;
}

function atEnd(part) {
  const last = part.lastElementChild;
  if (!last) return true;
  const pane = part.closest("section");
  const bottom = getComputedStyle(pane).overflowY === "auto" ? pane.getBoundingClientRect().bottom : innerHeight;
  return last.getBoundingClientRect().top < bottom;
}

function apply(reply) {
  for (const [id, html] of Object.entries(reply.parts || {})) place(id, html);
  for (const [id, html] of Object.entries(reply.more || {})) {
    const part = $(id);
    if (!part) continue;
    // One who has gone back to read stays there.
    const follows = atEnd(part);
    part.insertAdjacentHTML("beforeend", html);
    drawn.delete(id);
    if (follows) part.lastElementChild?.scrollIntoView({ block: "nearest" });
  }
  if (reply.parts && reply.parts.trace !== undefined) {
    // On a narrow page the answer stands below the tools.
    if (innerWidth < 736) document.querySelector("#trace .step")?.scrollIntoView({ block: "start" });
    else document.querySelector("#trace").scrollTop = 0;
  }
  if (reply.say) say(reply.say);
  if (reply.parts && reply.parts.stage !== undefined) { scrollTo(0, 0); $("main").focus({ preventScroll: true }); }
  for (const input of document.querySelectorAll("[data-find-in]")) if (input.value) findIn(input);
}

// What was found wrong in a form before says nothing of what is sent now.
function forgetFaults(form) {
  form.querySelectorAll(".wrong").forEach((one) => one.remove());
  for (const one of form.querySelectorAll("[aria-invalid]")) {
    one.removeAttribute("aria-invalid");
    one.removeAttribute("aria-describedby");
  }
  drawn.delete(form.id);
}

const SILENT = "The playground does not answer. It may have been stopped; start it again and reload.";
let before = Promise.resolve();

async function send(form, submitter) {
  if (form.getAttribute("aria-busy") === "true") return;
  const body = new FormData(form, submitter || undefined);
  // Choices that stand elsewhere on the page, such as who is to play.
  const beside = form.dataset.with && document.querySelector(form.dataset.with);
  if (beside) for (const [name, value] of new FormData(beside)) body.append(name, value);
  const address = submitter?.hasAttribute("formaction") ? submitter.getAttribute("formaction") : form.getAttribute("action");
  const room = document.querySelector("[data-room]")?.dataset.room || "";
  form.setAttribute("aria-busy", "true");
  forgetFaults(form);
  // One after the other, as they were clicked: the first makes the visitor that the next one is.
  const mine = before.then(async () => {
    const answer = await fetch(address, { method: "POST", body, headers: { "X-Playground": pageId, "X-Room": room } });
    const reply = await answer.json();
    complain(reply.fault || "");
    apply(reply);
    if (reply.fault) say("");
  }).catch(() => complain(SILENT));
  before = mine;
  await mine;
  form.removeAttribute("aria-busy");
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.find) { event.preventDefault(); find(form); return; }
  if (form.getAttribute("method") !== "post") return;
  event.preventDefault();
  send(form, event.submitter);
});

let waiting = 0;
let asked = 0;
async function find(form) {
  const mine = ++asked;
  const query = new URLSearchParams(new FormData(form));
  try {
    const reply = await (await fetch(`${form.dataset.find}?${query}`)).json();
    if (mine === asked) apply(reply);
  } catch {
    complain(SILENT);
  }
}

document.addEventListener("input", (event) => {
  const input = event.target;
  const form = input.closest("form[data-find]");
  if (form) { clearTimeout(waiting); waiting = setTimeout(find, 150, form); }
  if (input.dataset.filter) {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const one of document.querySelectorAll(input.dataset.filter))
      one.hidden = !words.every((word) => one.dataset.text.includes(word));
  }
  if (input.dataset.findIn) findIn(input);
});

// Shows only what holds the text, and opens the way to it.
function findIn(input) {
  const text = input.value.toLowerCase();
  const visit = (item, shown) => {
    const own = [...item.children].filter((one) => one.tagName === "SPAN" || one.tagName === "DETAILS");
    const details = own.find((one) => one.tagName === "DETAILS");
    const label = (details ? details.querySelector("summary") : item).textContent.toLowerCase();
    const here = shown || label.includes(text);
    const inner = details ? [...details.querySelectorAll(":scope > ul > li")] : [];
    const below = inner.map((one) => visit(one, here)).some(Boolean);
    item.hidden = Boolean(text) && !here && !below;
    if (details && text) details.open = below && !here || item.classList.contains("changed");
    return here || below;
  };
  document.querySelectorAll(`${input.dataset.findIn} > ul > li`).forEach((one) => visit(one, !text));
}

// Only what a person does to a folding is kept, not what the server opened.
document.addEventListener("click", (event) => {
  const summary = event.target.closest("summary");
  if (summary) summary.parentElement.dataset.toggled = "";
});

// A stream of what happens, for as long as the element that asks for it stands in the page.
const BROKEN = "The connection to the playground is broken. The page goes on once it is back.";
let stream = null;
function follow(element) {
  stream?.close();
  const source = stream = new EventSource(element.dataset.follow);
  source.addEventListener("reply", (event) => {
    if (!element.isConnected) { source.close(); return; }
    const reply = JSON.parse(event.data);
    // What was told of what a person did stays.
    if (reply.fault) complain(reply.fault);
    apply(reply);
  });
  source.addEventListener("error", () => { if (element.isConnected) complain(source.readyState === EventSource.CLOSED ? SILENT : BROKEN); });
  source.addEventListener("open", () => { if ($("fault").textContent === BROKEN) complain(""); });
  source.addEventListener("end", () => source.close());
  $(element.dataset.end)?.lastElementChild?.scrollIntoView({ block: "nearest" });
}
document.querySelectorAll("[data-follow]").forEach(follow);

const tell = (address) => navigator.sendBeacon(address, pageId);
addEventListener("pagehide", () => tell("/leave"));
// A page that the browser had kept is older than what the visitor holds.
addEventListener("pageshow", (event) => event.persisted ? location.reload() : tell("/here"));
