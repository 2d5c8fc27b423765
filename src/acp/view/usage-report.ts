import type { Update } from "../editor/editor.ts";
import { type Cadre, contextSizeOf, type RunHandle, type RunStreamPart } from "../../host.ts";

/** Shows how full the conversation's context is, and the conversation's cost. */
export interface UsageReport {
  /** Receives the output of the turn and its sub-agents. */
  take(part: RunStreamPart): Promise<Update[]>;
}

/** Creates the report of a turn. It includes the cost of earlier turns. */
export async function createUsageReport(cadre: Cadre, run: RunHandle): Promise<UsageReport> {
  const { continues } = await run.state();
  const [before] = continues === undefined ? [] : await cadre.conversations({ run: continues });
  const ofTurn = (await cadre.tree(run.id)).find(({ id }) => id === run.id)?.cost ?? 0;
  let cost: number | null = before === undefined ? 0 : subtract(before.cost, ofTurn);
  let used: number | undefined;
  return {
    async take(part) {
      if (part.type !== "reply-finished") return [];
      cost = cost === null || part.cost === null ? null : cost + part.cost;
      if (part.runId === run.id && part.usage !== null) {
        used = part.usage.inputTokens + part.usage.outputTokens;
      }
      return used === undefined ? [] : [await toUpdate(cadre, run, { used, cost })];
    },
  };
}

/** Returns the usage of a conversation whose latest turn is `run`, which has ended. */
export async function readConversationUsage(cadre: Cadre, run: RunHandle): Promise<Update[]> {
  const replies = (await run.transcript()).flatMap((part) =>
    part.type === "reply-finished" && part.usage !== null ? [part.usage] : [],
  );
  const last = replies.at(-1);
  if (last === undefined) return [];
  const [conversation] = await cadre.conversations({ run: run.id });
  const used = last.inputTokens + last.outputTokens;
  return [await toUpdate(cadre, run, { used, cost: conversation?.cost ?? null })];
}

async function toUpdate(
  cadre: Cadre,
  run: RunHandle,
  { used, cost }: { used: number; cost: number | null },
): Promise<Update> {
  return { type: "usage", used, size: await readSize(cadre, run), cost };
}

/** Subtracts a part of the cost: the figures of the conversation include the turn itself. */
function subtract(cost: number | null, part: number): number | null {
  return cost === null ? null : cost - part;
}

/** Returns the context size of the model in use. */
async function readSize({ configuration }: Cadre, run: RunHandle): Promise<number> {
  const { model } = await run.state();
  return contextSizeOf(model ?? "", configuration.config.models).contextTokens;
}
