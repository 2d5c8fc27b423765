import type { ChatCommand, CommandPlace } from "./chat-command.ts";
import { nothingYet } from "./chat-command.ts";
import { cleanLine, cleanText } from "../../terminal/clean-text.ts";
import { unpainted } from "../../terminal/paint.ts";
import { formatCost, formatNumberOf } from "../../view/format-value.ts";
import { layOutTree } from "../../view/run-tree.ts";
import { describeTotal } from "../../view/summary.ts";
import { formatTreeRow } from "../../view/tree-line.ts";
import { shortRunId } from "../../../short-run-id.ts";
import { addUpRuns } from "../../../host.ts";

/** The commands about this conversation and others. */
export const conversationCommands: readonly ChatCommand[] = [
  { name: "runs", summary: "list conversations", run: listConversations },
  {
    name: "resume",
    summary: "continue another conversation",
    argument: "[RUN]",
    run: async ({ resume }, run) => await resume(run),
  },
  { name: "tree", summary: "show the latest turn as a tree", run: showTree },
  { name: "cost", summary: "show the usage of the conversation", run: showCost },
  { name: "fork", summary: "continue in a copy of the conversation", argument: "TEXT", run: fork },
  { name: "diff", summary: "show what agents changed in their worktrees", run: showChanges },
  {
    name: "clear",
    summary: "begin a new conversation",
    async run({ clear, note }) {
      await clear();
      note("A new conversation begins with the next text.");
    },
  },
];

async function listConversations({ cadre, note }: CommandPlace): Promise<void> {
  const found = await cadre.conversations({ limit: 20 });
  const lines = found.map(({ lastRunId, status, turns, cost, title }) => {
    const spent = `${formatNumberOf(turns, "turn")}, ${formatCost(cost)}`;
    return `${shortRunId(lastRunId)}  ${status}  ${spent}  ${cleanLine(title)}`;
  });
  note(lines.length === 0 ? "There are no conversations yet." : lines.join("\n"));
}

async function showTree({ cadre, conversation, note }: CommandPlace): Promise<void> {
  const { last } = conversation;
  if (last === undefined) return note(nothingYet);
  const rows = layOutTree(await cadre.tree(last.id));
  const options = { columns: Infinity, now: Date.now(), paint: unpainted };
  note(rows.map((row) => formatTreeRow(row, options)).join("\n"));
}

async function showCost({ cadre, conversation, note }: CommandPlace): Promise<void> {
  const { last } = conversation;
  if (last === undefined) return note(nothingYet);
  const [found] = await cadre.conversations({ run: last.id });
  const turn = addUpRuns(await cadre.tree(last.id));
  note(`The latest turn: ${describeTotal(turn)}`);
  if (found === undefined) return;
  const { turns, replies } = found;
  note(`All ${formatNumberOf(turns, "turn")}: ${describeTotal({ ...found, turns: replies })}`);
}

async function fork(place: CommandPlace, text: string): Promise<void> {
  const { cadre, conversation, note, resume } = place;
  const { last } = conversation;
  if (last === undefined) return note(nothingYet);
  if (text === "") return note("Expected /fork TEXT: what to say in the copy.");
  const copy = await cadre.fork(last.id, { task: text });
  await resume(copy.id);
}

async function showChanges({ cadre, conversation, note }: CommandPlace): Promise<void> {
  const { last } = conversation;
  if (last === undefined) return note(nothingYet);
  const { patch } = await cadre.changes.read(last.id);
  note(patch.trim() === "" ? "Nothing has changed." : cleanText(patch));
}
