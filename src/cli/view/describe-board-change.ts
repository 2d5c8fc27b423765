import type { BoardChange } from "../../host.ts";

/** Describes a change in a few words, such as `claims t1`. */
export function describeBoardChange(change: BoardChange): string {
  if (change.kind === "add") {
    const titles = change.tasks.map(({ id, title }) => `${id} (${title})`);
    return `adds to the board: ${titles.join(", ")}`;
  }
  if (change.kind === "claim") return `claims ${change.task}`;
  const { task, status, dependsOn } = change;
  if (status === "open") return `gives back ${task}`;
  if (status !== undefined) return `reports ${task} as ${status}`;
  if (dependsOn === undefined) return `adds the result of ${task}`;
  return `lets ${task} wait for ${dependsOn.join(", ") || "nothing"}`;
}
