import { shortRunId } from "../../short-run-id.ts";
import type { FamilyRun } from "./family-run.ts";

/** The names of a family's runs. */
export interface MemberNames<Named extends FamilyRun> {
  readonly labels: readonly string[];
  /** Returns the newest run with the label. */
  labelled(label: string): Named | undefined;
  /** Returns the run whose id has this part after its dash. */
  short(part: string): Named | undefined;
  add(member: Named): void;
  remove(member: Named): void;
}

/** Creates an empty index of names. */
export function createMemberNames<Named extends FamilyRun>(): MemberNames<Named> {
  const byLabel = new Map<string, Named[]>();
  const byShort = new Map<string, Named>();
  return {
    get labels() {
      return [...byLabel.keys()];
    },
    labelled: (label) => byLabel.get(label)?.at(-1),
    short: (part) => byShort.get(part),
    add(member) {
      byShort.set(shortRunId(member.id), member);
      if (member.label === null) return;
      const list = byLabel.get(member.label);
      if (list === undefined) byLabel.set(member.label, [member]);
      else list.push(member);
    },
    remove(member) {
      byShort.delete(shortRunId(member.id));
      if (member.label === null) return;
      const left = byLabel.get(member.label)?.filter((other) => other !== member) ?? [];
      if (left.length === 0) byLabel.delete(member.label);
      else byLabel.set(member.label, left);
    },
  };
}
