import { cutText } from "../terminal/text-width.ts";

/** The number of columns of a task that distinguish a run from its siblings. */
const columns = 32;
/** The number of characters shown before a difference, unless a word begins closer to it. */
const most = 16;

interface ShownTask {
  /** The rest of the task, after the beginning that it shares with others. */
  rest: string;
  mark: string;
}

/**
 * Shortens tasks to one line of 32 columns each, so that no two read the same. Tasks with the same beginning are shown from the
 * word in which they differ; equal tasks are numbered.
 */
export function distinguishTasks(tasks: readonly string[]): string[] {
  const shown = tasks.map((rest): ShownTask => ({ rest, mark: "" }));
  distinguish(shown);
  for (let same = findSame(shown); same !== undefined; same = findSame(shown)) {
    for (const [index, task] of same.entries()) task.mark = `#${index + 1} ${task.mark}`;
  }
  return shown.map(showTask);
}

/** Finds tasks that read the same, because they are equal or differ only where they were cut. */
function findSame(tasks: readonly ShownTask[]): ShownTask[] | undefined {
  return Map.groupBy(tasks, showTask)
    .values()
    .find(({ length }) => length > 1);
}

function showTask({ rest, mark }: ShownTask): string {
  return cutText(mark + rest, columns);
}

function distinguish(tasks: readonly ShownTask[]): void {
  for (const same of Map.groupBy(tasks, showTask).values()) {
    const [first] = same;
    if (first === undefined || same.every(({ rest }) => rest === first.rest)) continue;
    const shared = lengthOfSharedStart(same);
    for (const task of same) Object.assign(task, { rest: task.rest.slice(shared), mark: "…" });
    distinguish(same);
  }
}

/** Returns the number of initial characters to omit: up to the word in which the tasks differ, and at least one. */
function lengthOfSharedStart([first, ...others]: readonly ShownTask[]): number {
  const text = first?.rest ?? "";
  let length = text.length;
  for (const { rest } of others) {
    let at = 0;
    while (at < length && text[at] === rest[at]) at += 1;
    length = at;
  }
  const word = text.slice(0, length).search(/[^\s/]*$/);
  const from = length - word <= most ? word : length - most;
  // Never between the halves of a surrogate pair.
  return Math.max(1, /^[\uDC00-\uDFFF]/.test(text.slice(from)) ? from - 1 : from);
}
