// The page of `cadre serve`. Everything that comes from runs is set as text, never as HTML.

const main = document.querySelector("#main");
const state = document.querySelector("#state");
const waiting = document.querySelector("#waiting");
const ended = new Set(["succeeded", "failed", "cancelled", "timed-out"]);

/** What the present view has open: streams and the function that draws it anew. */
let view = { close: () => undefined, refresh: () => undefined };

/** Creates an element. `content` are elements and texts. */
function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value);
  }
  element.append(...content);
  return element;
}

/** Calls the API. A problem is shown, and thrown. */
async function call(path, body) {
  const options =
    body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        };
  const response = await fetch(`/api/v1${path}`, options);
  const answer = await response.json();
  if (response.ok) return answer;
  const hint =
    response.status === 401 ? "Open the link that `cadre serve` printed." : answer.detail;
  tell(hint, true);
  throw new Error(hint);
}

function tell(text, isProblem = false) {
  state.textContent = text;
  state.className = isProblem ? "problem" : "faint";
}

/** A button whose work may fail, which `call` has told then. */
function button(title, work) {
  const click = async (event) => {
    event.target.disabled = true;
    await Promise.resolve(work()).catch((error) => tell(error.message, true));
    event.target.disabled = false;
    view.refresh();
  };
  return make("button", { type: "button", click }, title);
}

function cost(run) {
  const tokens = run.usage.inputTokens + run.usage.outputTokens;
  const dollars = run.cost === null ? "" : `, $${run.cost.toFixed(4)}`;
  return `${tokens.toLocaleString()} tokens${dollars}`;
}

function describeRun(run) {
  const name = run.label ?? run.agent;
  const time = new Date(run.createdAt);
  return make(
    "div",
    {},
    make("a", { href: `#/runs/${encodeURIComponent(run.id)}` }, name),
    " ",
    make("strong", { class: run.status }, run.isLeft ? `${run.status} (no process)` : run.status),
    " ",
    make("time", { class: "faint", datetime: time.toISOString() }, time.toLocaleString()),
    make("span", { class: "faint" }, ` ${cost(run)} ${run.activity ?? ""}`),
    make("div", { class: "said" }, (run.title ?? run.task).slice(0, 300)),
  );
}

async function drawRuns(isCurrent) {
  const cursors = [""];
  const list = make("ul");
  const draw = async () => {
    const pages = [];
    for (const cursor of cursors) {
      pages.push(
        await call(`/runs${cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`}`),
      );
    }
    if (!isCurrent()) return;
    const runs = pages.flatMap((page) => page.runs);
    const { next } = pages.at(-1);
    const rows = runs.map((run) => make("li", {}, describeRun(run)));
    if (rows.length === 0) rows.push(make("li", {}, "No runs yet. Start one above."));
    if (next !== null)
      rows.push(
        make(
          "li",
          {},
          button("Show older runs", () => cursors.push(next)),
        ),
      );
    list.replaceChildren(...rows);
  };
  const agent = make("input", { name: "agent", "aria-label": "Agent", value: "main" });
  const task = make("input", { name: "task", "aria-label": "Task", placeholder: "A task" });
  const submit = async (event) => {
    event.preventDefault();
    const { run } = await call("/runs", { agent: agent.value, task: task.value });
    location.hash = `#/runs/${run.id}`;
  };
  const form = make("form", { class: "actions", submit }, agent, task, make("button", {}, "Start"));
  main.replaceChildren(make("h2", {}, "Runs"), form, list);
  await draw();
  return draw;
}

function describeTree(runs) {
  const items = new Map(runs.map((run) => [run.id, make("li", {}, describeRun(run))]));
  const roots = [];
  for (const run of runs) {
    const parent = items.get(run.parentId);
    if (parent === undefined) {
      roots.push(items.get(run.id));
      continue;
    }
    let list = parent.querySelector(":scope > ul");
    if (list === null) parent.append((list = make("ul")));
    list.append(items.get(run.id));
  }
  return make("ul", {}, ...roots);
}

/** Shows the parts of a conversation as they arrive. */
function createTalk() {
  const talk = make("div", { "aria-label": "Conversation" });
  const pieces = new Map();
  const calls = new Map();
  const say = (title, text, kind = "said") => {
    const body = make(kind === "pre" ? "pre" : "div", { class: "said" }, text);
    talk.append(make("article", {}, make("strong", {}, title), body));
    return body;
  };
  const fold = (title, text, isOpen = false) => {
    const details = make("details", {}, make("summary", {}, title), make("pre", {}, text));
    details.open = isOpen;
    talk.append(make("article", {}, details));
    return details;
  };
  const show = {
    "run-created": (part) => say(part.agent, part.task),
    text(part) {
      const body = pieces.get(part.id) ?? say("Answer", "");
      pieces.set(part.id, body);
      body.append(part.text);
    },
    reasoning(part) {
      const details = pieces.get(part.id) ?? fold("Reasoning", "");
      pieces.set(part.id, details);
      details.lastChild.append(part.text);
    },
    "tool-call"(part) {
      calls.set(part.id, fold(`Tool ${part.tool}`, JSON.stringify(part.input, null, 2)));
    },
    "tool-result"(part) {
      const place = calls.get(part.id) ?? fold("Result", "");
      place.append(make("pre", { class: part.isError ? "problem" : "" }, part.text));
    },
    "reply-discarded": (part) => say("Discarded", part.reason),
    "approval-requested": (part) => say("Question", part.request.title),
    "approval-answered": (part) => say("Answered", part.answer.decision),
    message: (part) => say(`Message of ${part.from}`, part.text),
    warning: (part) => say("Warning", part.message),
    "attempt-failed": (part) => say("Attempt failed", part.failure.message),
    "run-finished"(part) {
      const { status, failure } = part.result;
      say("End", failure === undefined ? status : `${status}: ${failure.message}`);
    },
  };
  return {
    element: talk,
    take: (part) => show[part.type]?.(part),
    clear: () => talk.replaceChildren(),
  };
}

function follow(id, talk) {
  const source = new EventSource(`/api/v1/runs/${encodeURIComponent(id)}/stream`);
  const take = (event) => {
    const part = JSON.parse(event.data);
    if (part.runId !== id) return;
    talk.take(part);
    if (part.type === "run-finished") source.close();
  };
  // A new connection begins with the first part again.
  source.addEventListener("open", () => talk.clear());
  for (const type of partTypes) source.addEventListener(type, take);
  return () => source.close();
}

const partTypes = [
  "run-created",
  "text",
  "reasoning",
  "tool-call",
  "tool-result",
  "reply-discarded",
  "approval-requested",
  "approval-answered",
  "message",
  "warning",
  "attempt-failed",
  "run-finished",
];

function describeActions(run) {
  const path = `/runs/${encodeURIComponent(run.id)}`;
  const text = make("input", { "aria-label": "Message", placeholder: "A message to the agent" });
  const open = (answer) => (location.hash = `#/runs/${answer.run.id}`);
  if (run.isLeft) return [button("Resume", () => call(`${path}/resume`, {}))];
  if (!ended.has(run.status)) {
    return [
      text,
      button("Send", () => call(`${path}/messages`, { text: text.value })),
      button("Cancel", () => call(`${path}/cancel`, {})),
    ];
  }
  const again =
    run.status === "succeeded"
      ? []
      : [button("Retry", async () => open(await call(`${path}/retry`, {})))];
  return [
    text,
    button("Continue", async () => open(await call(`${path}/continue`, { task: text.value }))),
    ...again,
  ];
}

async function drawRun(id, isCurrent) {
  const tree = make("div", { "aria-label": "Family" });
  const actions = make("div", { class: "actions" });
  const talk = createTalk();
  let shown = "";
  const draw = async () => {
    const { runs } = await call(`/runs/${encodeURIComponent(id)}/family`);
    if (!isCurrent()) return;
    tree.replaceChildren(describeTree(runs));
    const run = runs.find((one) => one.id === id) ?? runs[0];
    // A field that somebody writes in stays as it is.
    const now = `${run.status} ${run.isLeft}`;
    if (now !== shown) actions.replaceChildren(...describeActions(run));
    shown = now;
  };
  main.replaceChildren(
    make("h2", {}, "Family"),
    tree,
    make("h2", {}, `Run ${id}`),
    actions,
    talk.element,
  );
  await draw();
  return { draw, close: follow(id, talk) };
}

function describeQuestion(question) {
  const answer = (given) => () => call("/answers", { question: question.id, answer: given });
  const buttons = [
    button("Allow", answer({ decision: "allow", scope: "once" })),
    button("Always in this family", answer({ decision: "allow", scope: "always" })),
    button("Deny", answer({ decision: "deny" })),
  ];
  if (question.proposal !== undefined) {
    const rule = { decision: "allow", scope: "rule", rule: question.proposal };
    buttons.push(button(`Allow ${question.proposal}`, answer(rule)));
  }
  return make(
    "li",
    {},
    make("strong", {}, question.title),
    make("div", { class: "faint" }, `${question.chain.join(" > ")}: ${question.reason}`),
    make(
      "details",
      {},
      make("summary", {}, "Input"),
      make("pre", {}, JSON.stringify(question.input, null, 2)),
    ),
    make("a", { href: `#/runs/${encodeURIComponent(question.runId)}` }, "Open the run"),
    make("div", { class: "actions" }, ...buttons),
  );
}

async function drawQuestions(isCurrent) {
  const list = make("ul");
  let shown = "";
  const draw = async () => {
    const { questions } = await call("/questions");
    const ids = JSON.stringify(questions.map(({ id }) => id));
    if (!isCurrent() || ids === shown) return;
    shown = ids;
    const rows = questions.map(describeQuestion);
    list.replaceChildren(...(rows.length > 0 ? rows : [make("li", {}, "No question waits.")]));
  };
  main.replaceChildren(make("h2", {}, "Questions"), list);
  await draw();
  return draw;
}

async function countQuestions() {
  const { questions } = await call("/questions");
  waiting.textContent = questions.length === 0 ? "" : `(${questions.length})`;
}

async function route() {
  view.close();
  const mine = { close: () => undefined, refresh: () => undefined };
  view = mine;
  const isCurrent = () => view === mine;
  const [, name, id] = location.hash.split("/");
  if (name === "questions") mine.refresh = await drawQuestions(isCurrent);
  else if (name === "runs" && id !== undefined) {
    const drawn = await drawRun(decodeURIComponent(id), isCurrent);
    Object.assign(mine, { refresh: drawn.draw, close: drawn.close });
    if (!isCurrent()) drawn.close();
  } else mine.refresh = await drawRuns(isCurrent);
  main.focus();
}

/** At most one redrawing at a time, and one after the last event. */
let isDrawing = false;
let isOutdated = false;
async function redraw() {
  isOutdated = true;
  if (isDrawing) return;
  isDrawing = true;
  while (isOutdated) {
    isOutdated = false;
    await Promise.allSettled([view.refresh(), countQuestions()]);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  isDrawing = false;
}

const eventTypes = [
  "run-created",
  "run-started",
  "step-finished",
  "approval-requested",
  "approval-answered",
  "run-finished",
];

function watch() {
  const source = new EventSource("/api/v1/events");
  source.addEventListener("open", () => {
    tell("Live");
    redraw();
  });
  source.addEventListener("error", () => tell("Reconnecting…", true));
  for (const type of eventTypes) source.addEventListener(type, redraw);
}

addEventListener("hashchange", () => route().catch((error) => tell(error.message, true)));
addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea") !== null || event.ctrlKey || event.metaKey) return;
  if (event.key === "r") location.hash = "#/runs";
  if (event.key === "q") location.hash = "#/questions";
});
await route().catch((error) => tell(error.message, true));
watch();
