import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { resultIn } from "./inbox-message.ts";

/** Counts the messages that a compaction shortens. */
export interface ChangeCount {
  /** Records a message that was shortened. */
  note(before: LanguageModelV4Message, after: LanguageModelV4Message): void;
  /** Describes the counts, for example `6 results (Read 4, Bash 2), 1 reply`. */
  describe(): string;
}

/** The maximum number of tool names in a description. */
const maxNames = 5;

/** Creates a count of zero. */
export function createChangeCount(): ChangeCount {
  const sources = new Map<string, number>();
  let replies = 0;
  return {
    note(before, after) {
      if (before.role === "assistant") replies += 1;
      for (const name of shortenedResults(before, after)) {
        sources.set(name, (sources.get(name) ?? 0) + 1);
      }
    },
    describe() {
      const results = [...sources.values()].reduce((sum, count) => sum + count, 0);
      return [
        ...(results === 0 ? [] : [`${numberOf(results, "result", "results")} (${list(sources)})`]),
        ...(replies === 0 ? [] : [numberOf(replies, "reply", "replies")]),
      ].join(", ");
    },
  };
}

/** Returns the tools, or the background run, whose results are shorter in `after`. */
function shortenedResults(before: LanguageModelV4Message, after: LanguageModelV4Message): string[] {
  if (resultIn(before) !== undefined) return ["background run"];
  if (before.role !== "tool" || after.role !== "tool") return [];
  return before.content.flatMap((part, index) => {
    if (part.type !== "tool-result") return [];
    return JSON.stringify(part) === JSON.stringify(after.content[index]) ? [] : [part.toolName];
  });
}

function list(sources: ReadonlyMap<string, number>): string {
  const all = [...sources].toSorted(([, one], [, other]) => other - one);
  const shown = all.slice(0, maxNames).map(([name, count]) => `${name} ${count}`);
  return [...shown, ...(all.length > maxNames ? ["…"] : [])].join(", ");
}

function numberOf(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}
