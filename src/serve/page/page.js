// The page of `cadre serve`: shows the view that the address names, and draws it anew when something happened.

import { call, tell } from "./dom.js";
import { drawQuestions } from "./questions.js";
import { drawRun } from "./run.js";
import { drawRuns } from "./run-list.js";

const main = document.querySelector("#main");
const waiting = document.querySelector("#waiting");
const nothing = { close: () => undefined, refresh: () => Promise.resolve() };

/** What the present view has open, and the function that draws it anew. */
let view = nothing;

async function countQuestions() {
  const { questions } = await call("/questions");
  waiting.textContent = questions.length === 0 ? "" : `(${questions.length})`;
}

async function route() {
  view.close();
  const mine = { ...nothing };
  view = mine;
  const isCurrent = () => view === mine;
  const [, name, id] = location.hash.split("/");
  if (name === "questions") mine.refresh = await drawQuestions(main, isCurrent);
  else if (name === "runs" && id !== undefined) {
    const drawn = await drawRun(main, decodeURIComponent(id), isCurrent);
    Object.assign(mine, { refresh: drawn.draw, close: drawn.close });
    if (!isCurrent()) drawn.close();
  } else mine.refresh = await drawRuns(main, isCurrent);
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
    void redraw();
  });
  source.addEventListener("error", () => tell("Reconnecting…", true));
  for (const type of eventTypes) source.addEventListener(type, () => void redraw());
}

const show = async () => await route().catch((error) => tell(error.message, true));
addEventListener("hashchange", () => void show());
document.addEventListener("outdated", () => void redraw());
addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea") !== null || event.ctrlKey || event.metaKey) return;
  if (event.key === "r") location.hash = "#/runs";
  if (event.key === "q") location.hash = "#/questions";
});
await show();
watch();
