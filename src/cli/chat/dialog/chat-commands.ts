import type { ChatConversation } from "./chat-conversation.ts";
import { cleanLine, cleanText } from "../../terminal/clean-text.ts";
import { unpainted } from "../../terminal/paint.ts";
import { formatCost, formatNumberOf } from "../../view/format-value.ts";
import { layOutTree } from "../../view/run-tree.ts";
import { describeTotal } from "../../view/summary.ts";
import { formatTreeRow } from "../../view/tree-line.ts";
import { shortRunId } from "../../../short-run-id.ts";
import { addUpRuns, type Cadre, permissionModes } from "../../../host.ts";

/** What a command of a conversation works on. */
export interface CommandPlace {
  cadre: Cadre;
  conversation: ChatConversation;
  note(text: string): void;
  /** Shows the conversation of a run, and goes on with it. */
  resume(run: string): Promise<void>;
  /** Begins a new conversation. */
  clear(): Promise<void>;
  /** Chooses the agent of the next turn. */
  setAgent(name: string): void;
  quit(): void;
  /** Opens Cadre again with another mode, and goes on with the conversation. */
  changeMode(mode: Mode): void;
}

/** What runs may do without asking. */
export type Mode = (typeof permissionModes)[number];

/** A command that is typed as `/name argument`. */
export interface ChatCommand {
  name: string;
  summary: string;
  /** Names the argument. */
  argument?: string;
  /** Lists the values of the argument. */
  complete?: () => Promise<readonly string[]>;
  run(place: CommandPlace, argument: string): Promise<void> | void;
}

/** Creates the commands; `cadre` names the agents. */
export function createChatCommands(cadre: Pick<Cadre, "agents">): ChatCommand[] {
  const agentNames = async (): Promise<string[]> =>
    (await cadre.agents()).agents.map(({ name }) => name);
  const commands: ChatCommand[] = [
    {
      name: "help",
      summary: "the commands and keys",
      run: ({ note }) => note(describeHelp(commands)),
    },
    { name: "agents", summary: "list the agents", run: listAgents },
    {
      name: "agent",
      summary: "talk with another agent from the next turn on",
      argument: "NAME",
      complete: agentNames,
      run: chooseAgent,
    },
    {
      name: "model",
      summary: "use another model from the next turn on",
      argument: "MODEL",
      run: chooseModel,
    },
    {
      name: "mode",
      summary: "change what may happen without asking",
      argument: "MODE",
      complete: async () => permissionModes,
      run: chooseMode,
    },
    { name: "runs", summary: "list conversations", run: listConversations },
    {
      name: "resume",
      summary: "go on with another conversation",
      argument: "[RUN]",
      run: async ({ resume }, run) => await resume(run),
    },
    { name: "tree", summary: "show the latest turn as a tree", run: showTree },
    { name: "cost", summary: "add up what the conversation has used", run: showCost },
    { name: "fork", summary: "go on in a copy of the conversation", argument: "TEXT", run: fork },
    {
      name: "diff",
      summary: "show what agents changed in worktrees of their own",
      run: showChanges,
    },
    {
      name: "clear",
      summary: "begin a new conversation",
      async run({ clear, note }) {
        await clear();
        note("A new conversation begins with the next text.");
      },
    },
    { name: "quit", summary: "end the command", run: ({ quit }) => quit() },
  ];
  return commands;
}

const keys = `Enter sends · Shift-Enter or Ctrl-J begins a line · ↑ and ↓ go through what you typed
@ names a file or an agent; @picture.png sends the image
Esc interrupts the turn · Ctrl-T selects an agent of the tree · Ctrl-O opens tool calls and thoughts
Ctrl-C clears the input, or interrupts · Ctrl-D ends the command`;

function describeHelp(commands: readonly ChatCommand[]): string {
  const lines = commands.map(({ name, argument = "", summary }) =>
    `/${name} ${argument}`.padEnd(16).concat(summary),
  );
  return [...lines, "", keys].join("\n");
}

async function listAgents({ cadre, note }: CommandPlace): Promise<void> {
  const { agents } = await cadre.agents();
  note(
    agents.map(({ name, description }) => `${name}  ${cleanLine(description ?? "")}`).join("\n"),
  );
}

async function chooseAgent(place: CommandPlace, name: string): Promise<void> {
  const { cadre, setAgent, note } = place;
  const { agents } = await cadre.agents();
  if (!agents.some((agent) => agent.name === name)) {
    const known = agents.map((agent) => agent.name).join(", ");
    return note(`Expected /agent NAME with one of ${known}; got ${JSON.stringify(name)}.`);
  }
  setAgent(name);
  note(`The next turn is with ${name}.`);
}

function chooseModel({ conversation, note }: CommandPlace, model: string): void {
  if (model === "") return note("Expected /model MODEL, such as /model sonnet.");
  conversation.settings.model = model;
  note(`The next turn asks ${model}.`);
}

function chooseMode({ conversation, note, changeMode }: CommandPlace, given: string): void {
  const mode = permissionModes.find((one) => one === given);
  if (mode === undefined) {
    return note(`Expected /mode ${permissionModes.join(" | ")}; got ${JSON.stringify(given)}.`);
  }
  if (conversation.active !== undefined) return note("Expected /mode between two turns.");
  changeMode(mode);
}

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

const nothingYet = "The conversation has no turn yet.";

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
