import { button, call, make } from "./dom.js";
import { describeTree } from "./run-list.js";
import { createTalk, follow } from "./talk.js";

const ended = new Set(["succeeded", "failed", "cancelled", "timed-out"]);

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

export async function drawRun(main, id, isCurrent) {
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
