import type { Command } from "commander";
import { UsageError } from "../../arguments/usage-error.ts";
import { parseCount } from "../../arguments/parse-number.ts";
import { withCadre, withRuns } from "../../run/open-cadre.ts";
import { cleanLine, firstLine } from "../../terminal/clean-text.ts";
import { columnsOf, writeError, writeJson, writeLine } from "../../terminal/output.ts";
import { readKey } from "../../terminal/read-key.ts";
import { describeKeptWorktree } from "../../view/changes/kept-worktree.ts";
import { formatBytes, formatCost, formatNumberOf } from "../../view/format-value.ts";
import { formatIdCell, formatTimeCell } from "../../view/table/format-cell.ts";
import { formatTable } from "../../view/table/table.ts";
import { omitUndefined } from "../../../omit-undefined.ts";
import type { Cadre, Conversation } from "../../../host.ts";
import { describeRunArgument } from "../../arguments/describe-run-argument.ts";

const examples = `
Examples:
  cadre conversations
  cadre conversations --search "release notes"
  cadre conversations title last "Notes of spring"
  cadre conversations delete 7f3q01c

RUN is the id of any run of the conversation, the part of it after the dash,
or \`last\`. Continue a conversation: cadre run --continue=RUN TEXT`;

const runHelp = describeRunArgument("a run of the conversation");
const jsonHelp = "write JSON: { conversation }";

interface ListOptions {
  search?: string;
  archived?: boolean;
  limit: number;
  json?: boolean;
}

/** `cadre conversations` and its subcommands. */
export function defineConversations(command: Command, setExit: (code: number) => void): void {
  command
    .option("--search <text>", "only those with this text in a title, task or answer")
    .option("--archived", "the archived ones")
    .option("--limit <count>", "maximum number of conversations", parseCount, 20)
    .option("--json", "write JSON: { conversations: [conversation] }")
    .addHelpText("after", examples)
    .action(async (options: ListOptions) => await list(options));
  command
    .command("title")
    .description("give a conversation a title")
    .argument("<run>", runHelp)
    .argument("[title...]", "the title; none: the first line of its first task")
    .option("--json", jsonHelp)
    .action(async (id: string, words: string[], _: object, self: Command) => {
      await change(id, { title: readTitle(words) }, isJson(self));
    });
  command
    .command("archive")
    .description("leave a conversation out of the list")
    .argument("<run>", runHelp)
    .option("--undo", "put it back into the list")
    .option("--json", jsonHelp)
    .action(async (id: string, { undo }: { undo?: boolean }, self: Command) => {
      await change(id, { archived: undo !== true }, isJson(self));
    });
  command
    .command("delete")
    .description("delete a conversation with the journals and outputs of its runs")
    .argument("<run>", runHelp)
    .option("--yes", "do not ask")
    .option("--json", "write JSON: { id, deleted, runs, freedBytes, keptWorktrees }")
    .action(async (id: string, { yes = false }: { yes?: boolean }, self: Command) => {
      setExit(await remove(id, { yes, json: isJson(self) }));
    });
}

/** @throws UsageError for an empty title. Without words it returns null, which removes the title. */
function readTitle(words: readonly string[]): string | null {
  if (words.length === 0) return null;
  const title = words.join(" ");
  if (title.trim() !== "") return title;
  throw new UsageError(
    "Expected a title, got an empty text. Leave it out to use the first line of the first task.",
  );
}

/** The list has the option too and takes it wherever it is written. */
function isJson(command: Command): boolean {
  return command.optsWithGlobals()["json"] === true;
}

async function list({ search, archived, limit, json }: ListOptions): Promise<void> {
  await withRuns(async (cadre) => {
    const filter = { limit, ...omitUndefined({ text: search, archived }) };
    const conversations = await cadre.conversations(filter);
    if (json === true) return writeJson({ conversations });
    if (conversations.length === 0) return writeError("No conversations.");
    const titles = ["CONVERSATION", "STATUS", "AGENT", "TURNS", "COST", "ACTIVE", "TITLE"];
    const columns = columnsOf(process.stdout);
    const rows = conversations.map((conversation) => toRow(conversation, columns));
    for (const line of formatTable(titles, rows, columns, ["TURNS"])) writeLine(line);
  });
}

function toRow(conversation: Conversation, columns: number): string[] {
  const { id, status, agent, turns, cost, lastActivityAt, title } = conversation;
  const time = formatTimeCell(lastActivityAt, columns);
  return [
    formatIdCell(id, columns),
    status,
    agent,
    String(turns),
    formatCost(cost),
    time,
    firstLine(title),
  ];
}

async function change(
  id: string,
  changes: Parameters<Cadre["changeConversation"]>[1],
  json: boolean,
): Promise<void> {
  await withCadre(async (cadre) => {
    const conversation = await cadre.changeConversation(id, changes);
    if (json) return writeJson({ conversation });
    const { title, isArchived } = conversation;
    const state = isArchived ? " (archived)" : "";
    writeLine(`${conversation.id}: ${cleanLine(title)}${state}`);
  });
}

async function remove(id: string, { yes, json }: { yes: boolean; json: boolean }): Promise<number> {
  return await withCadre(async (cadre) => {
    const [conversation] = await cadre.conversations({ run: id });
    if (conversation === undefined) throw new UsageError(`There is no conversation of run ${id}.`);
    const isWanted = yes || (await confirm(conversation));
    if (!isWanted) {
      if (json) writeJson({ id: conversation.id, deleted: false });
      else writeError("Nothing was deleted.");
      return 1;
    }
    const { keptWorktrees, ...freed } = await cadre.deleteConversation(conversation.id);
    const { runs, freedBytes } = freed;
    if (json) writeJson({ id: conversation.id, deleted: true, ...freed, keptWorktrees });
    else {
      writeLine(`Deleted ${formatNumberOf(runs, "run")}; freed ${formatBytes(freedBytes)}.`);
      for (const path of keptWorktrees) writeError(describeKeptWorktree(path));
    }
    return 0;
  });
}

/** Asks whether to delete the conversation. @throws UsageError without a terminal. */
async function confirm({ id, title, turns }: Conversation): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(
      "Expected --yes: without a terminal Cadre cannot ask whether to delete it.",
    );
  }
  const what = `${id}, ${formatNumberOf(turns, "turn")}: ${cleanLine(title)}`;
  const { signal } = new AbortController();
  const ask = (): boolean => process.stderr.write(`Delete ${what}? [y/N] `);
  const key = await readKey(process.stdin, signal, ask).catch(() => "n");
  process.stderr.write("\n");
  return key === "y" || key === "Y";
}
