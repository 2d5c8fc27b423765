import type { ChatCommand, ChatCommandContext } from "./chat-command.ts";
import { nothingYet } from "./chat-command.ts";
import { cleanLine, cleanText } from "../../terminal/clean-text.ts";
import { unpainted } from "../../terminal/paint.ts";
import { formatCost, formatNumberOf, formatTime } from "../../view/format-value.ts";
import { layOutTree } from "../../view/run-tree.ts";
import { describeLeftContent } from "../../view/changes/left-content.ts";
import { describeTotal } from "../../view/summary.ts";
import { formatTreeRow } from "../../view/tree-line.ts";
import { shortRunId } from "../../../short-run-id.ts";
import { addUpRuns, type Cadre } from "../../../host.ts";

/** Creates the commands about this conversation and others; `cadre` lists them. */
export function createConversationCommands(cadre: Pick<Cadre, "conversations">): ChatCommand[] {
  return [
    { name: "runs", summary: "list conversations", run: listConversations },
    {
      name: "resume",
      summary: "continue another conversation",
      argument: "[RUN]",
      complete: async () =>
        (await cadre.conversations({ limit: maxListed })).map(({ lastRunId, title }) => ({
          value: shortRunId(lastRunId),
          description: cleanLine(title),
        })),
      run: async ({ resume }, run) => await resume(run),
    },
    ...commandsOfThisOne,
  ];
}

/** How many conversations are listed. */
const maxListed = 20;

const commandsOfThisOne: readonly ChatCommand[] = [
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

async function listConversations({ cadre, note }: ChatCommandContext): Promise<void> {
  const found = await cadre.conversations({ limit: maxListed });
  const lines = found.map(({ lastRunId, status, turns, cost, lastActivityAt, title }) => {
    const spent = `${formatNumberOf(turns, "turn")}, ${formatCost(cost)}`;
    return `${shortRunId(lastRunId)}  ${formatTime(lastActivityAt)}  ${status}  ${spent}  ${cleanLine(title)}`;
  });
  note(lines.length === 0 ? "There are no conversations yet." : lines.join("\n"));
}

async function showTree({ cadre, conversation, note }: ChatCommandContext): Promise<void> {
  const { last } = conversation;
  if (last === undefined) return note(nothingYet);
  const rows = layOutTree(await cadre.tree(last.id));
  const columns = process.stdout.columns - 1;
  const options = { columns, now: Date.now(), paint: unpainted, inConversation: true };
  note(rows.map((row) => formatTreeRow(row, options)).join("\n"));
}

async function showCost({ cadre, conversation, note }: ChatCommandContext): Promise<void> {
  const { last } = conversation;
  if (last === undefined) return note(nothingYet);
  const [found] = await cadre.conversations({ run: last.id });
  const turn = addUpRuns(await cadre.tree(last.id));
  note(`The latest turn: ${describeTotal(turn)}`);
  if (found === undefined) return;
  const { turns, replies } = found;
  note(`All ${formatNumberOf(turns, "turn")}: ${describeTotal({ ...found, turns: replies })}`);
}

async function fork(context: ChatCommandContext, text: string): Promise<void> {
  const { cadre, conversation, note, resume } = context;
  const { last } = conversation;
  if (last === undefined) return note(nothingYet);
  if (text === "") return note("Expected /fork TEXT: what to say in the copy.");
  const copy = await cadre.fork(last.id, { task: text });
  await resume(copy.id);
}

async function showChanges({ cadre, conversation, note }: ChatCommandContext): Promise<void> {
  const { last } = conversation;
  if (last === undefined) return note(nothingYet);
  const { patch, left } = await cadre.changes.read(last.id);
  note(patch.trim() === "" ? "Nothing has changed." : cleanText(patch));
  if (left !== null) note(describeLeftContent({ id: last.id, ...left }));
}
