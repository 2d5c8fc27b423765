import { button, call, make } from "./dom.js";

function cost(run) {
  const tokens = run.usage.inputTokens + run.usage.outputTokens;
  const dollars = run.cost === null ? "" : `, $${run.cost.toFixed(4)}`;
  return `${tokens.toLocaleString()} tokens${dollars}`;
}

export function describeRun(run) {
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

export async function drawRuns(main, isCurrent) {
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

export function describeTree(runs) {
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
