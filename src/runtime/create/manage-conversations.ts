import { type AgentDefinition, isProgram } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { JsonValue } from "../../source/json.ts";
import { describeValue } from "../../source/read-value.ts";
import type { StoredConversation } from "../../registry/conversation-table.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Cadre } from "../cadre.ts";
import type { Conversation } from "../conversation.ts";
import { removeTraces } from "./remove-traces.ts";
import { findRun, type Store } from "../services/store.ts";

/** The part of Cadre that lists, names, archives and deletes conversations. */
export type ConversationManagement = Pick<
  Cadre,
  "conversations" | "changeConversation" | "deleteConversation"
>;

/** See {@link Cadre}. `folder` is the registry's folder. */
export function manageConversations(store: Store, folder: string): ConversationManagement {
  return {
    async conversations({ run, ...rest } = {}) {
      const registry = store.openExisting();
      const id = run === undefined ? undefined : await findConversation(registry, run);
      if (registry === undefined) return [];
      const filter = { ...rest, ...omitUndefined({ id }) };
      const found = await registry.conversations.list(filter);
      return await Promise.all(found.map((one) => toConversation(registry, one)));
    },
    async changeConversation(id, changes) {
      const registry = store.openExisting();
      const conversation = await findConversation(registry, id);
      await store.open().conversations.describe(conversation, readChanges(changes));
      const [changed] = await store.open().conversations.list({ id: conversation });
      if (changed === undefined) throw noConversation(id);
      return await toConversation(store.open(), changed);
    },
    async deleteConversation(id) {
      const conversation = await findConversation(store.openExisting(), id);
      const { conversations } = store.open();
      const others = await conversations.continuedBy(conversation);
      if (others.length > 0) throw continued(conversation, others);
      const { runIds, freedBytes } = await conversations.delete(conversation);
      const keptWorktrees = await removeTraces(folder, runIds);
      return { runs: runIds.length, freedBytes, keptWorktrees };
    },
  };
}

/** Returns the conversation that contains the run which a user names by an id, as for `findRun`. */
async function findConversation(registry: Registry | undefined, id: string): Promise<string> {
  const { rootId, conversation = rootId } = await findRun(registry, id);
  return conversation;
}

/** The maximum length of a title, in characters. */
const maxTitleLength = 200;

function readChanges({ title, archived }: Parameters<Cadre["changeConversation"]>[1]): {
  title?: string | null;
  isArchived?: boolean;
} {
  const isFlag = archived === undefined || typeof archived === "boolean";
  if (!isFlag) throw invalid(`\`archived\` to be true or false`, describeValue(archived));
  const isRemoval = title === null || title === undefined;
  return omitUndefined({ title: isRemoval ? title : readTitle(title), isArchived: archived });
}

/** Returns the title on one line. Programs without a compiler may pass anything. */
function readTitle(title: unknown): string {
  const expected = `a title of 1 to ${maxTitleLength} characters, or null for none`;
  if (typeof title !== "string") throw invalid(expected, describeValue(title as JsonValue));
  const line = title.replaceAll(/\s+/g, " ").trim();
  if (line === "") throw invalid(expected, "an empty one");
  if (line.length > maxTitleLength) throw invalid(expected, `one of ${line.length}`);
  return line;
}

function invalid(expected: string, got: string): CadreError {
  return new CadreError("invalid-argument", `Expected ${expected}; got ${got}.`);
}

async function toConversation(
  registry: Registry,
  { id, title, isArchived, first, last, turns, lastActivityAt, figures }: StoredConversation,
): Promise<Conversation> {
  const { turns: replies, ...sums } = figures;
  return {
    id,
    title: title ?? firstLine(first.title ?? first.task),
    agent: last.agent,
    status: last.status,
    turns,
    replies,
    lastActivityAt,
    isArchived,
    lastRunId: last.id,
    readsMessages: await readsMessages(registry, last.id),
    ...sums,
  };
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.trim().slice(0, maxTitleLength).toWellFormed();
}

async function readsMessages(registry: Registry, runId: string): Promise<boolean> {
  const spec = await registry.spec(runId);
  const definition = spec && (await registry.content(spec.definition));
  return definition !== undefined && !isProgram(definition as unknown as AgentDefinition);
}

function noConversation(id: string): CadreError {
  return new CadreError("run-not-found", `There is no conversation of run ${id}.`);
}

function continued(id: string, others: readonly string[]): CadreError {
  const message = `The conversation ${id} cannot be deleted: ${others.join(", ")} continues it, such as a fork. Delete that conversation first.`;
  return new CadreError("invalid-argument", message, { details: { id, continuedBy: [...others] } });
}
