import { shortRunId } from "../../short-run-id.ts";
import type { FamilyRun } from "./family-run.ts";

/** The names of a family's runs. */
export interface RunNames<Named extends FamilyRun> {
  readonly labels: readonly string[];
  /** Returns the newest run with the label. */
  labelled(label: string): Named | undefined;
  /** Returns the run whose id has this part after its dash. */
  short(part: string): Named | undefined;
  add(run: Named): void;
  remove(run: Named): void;
}

/** Creates an empty index of names. */
export function createRunNames<Named extends FamilyRun>(): RunNames<Named> {
  const byLabel = new Map<string, Named[]>();
  const byShort = new Map<string, Named>();
  return {
    get labels() {
      return [...byLabel.keys()];
    },
    labelled: (label) => byLabel.get(label)?.at(-1),
    short: (part) => byShort.get(part),
    add(run) {
      byShort.set(shortRunId(run.id), run);
      if (run.label === null) return;
      const list = byLabel.get(run.label);
      if (list === undefined) byLabel.set(run.label, [run]);
      else list.push(run);
    },
    remove(run) {
      byShort.delete(shortRunId(run.id));
      if (run.label === null) return;
      const left = byLabel.get(run.label)?.filter((other) => other !== run) ?? [];
      if (left.length === 0) byLabel.delete(run.label);
      else byLabel.set(run.label, left);
    },
  };
}
