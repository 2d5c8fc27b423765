import { z } from "zod";
import { limitRaiseSchema } from "../../run/limit/limit-schema.ts";
import { runStatuses } from "../../run/run.ts";
import { closedObject } from "../../source/closed-object.ts";
import type { MergeStrategy } from "../../tool/git/plan-merge.ts";
import type { Cadre } from "../cadre.ts";
import type { ProjectCommands } from "../project-commands.ts";
import type { RunChanges } from "../run-changes.ts";
import type { ArgumentSchemas } from "./check-arguments.ts";
import { callback, count, field, flag, listField, nonEmptyText, oneOf } from "./field.ts";
import { signalField } from "./run-arguments.ts";

const strategies: readonly MergeStrategy[] = ["merge", "squash", "rebase", "patch"];
const id = { 0: nonEmptyText };
const text = field("text", (value) => typeof value === "string");
/** Any value; it is checked on use. */
const any = z.any().optional();

/** The arguments of the methods of Cadre, except requests for runs, agents and tools, which are checked on use. */
export const cadreArguments: ArgumentSchemas<Cadre> = {
  agent: id,
  find: id,
  tree: id,
  waiting: id,
  retry: { ...id, 1: limitRaiseSchema },
  runs: {
    0: closedObject({
      ids: listField(nonEmptyText, "ids of runs").optional(),
      status: listField(oneOf(runStatuses), "statuses of runs").optional(),
      agent: nonEmptyText.optional(),
      rootsOnly: flag.optional(),
      before: nonEmptyText.optional(),
      limit: count(1).optional(),
    }),
  },
  usage: { 0: closedObject({ since: count(0), until: count(0), periodMs: count(1) }) },
  search: {
    0: closedObject({ text, limit: count(1).optional(), cursor: nonEmptyText.optional() }),
  },
  spawnPipeline: {
    ...id,
    1: closedObject({
      id: any,
      task: any,
      parameters: any,
      label: any,
      model: any,
      fallbacks: any,
      timeoutSeconds: any,
      budget: any,
      queue: any,
    }),
  },
  spawnGraph: {
    ...id,
    1: closedObject({
      id: any,
      label: any,
      model: any,
      fallbacks: any,
      timeoutSeconds: any,
      budget: any,
      queue: any,
    }),
  },
  resume: {
    ...id,
    1: closedObject({ onRefused: callback.optional(), others: flag.optional() }),
  },
  fork: { ...id, 1: closedObject({ at: nonEmptyText.optional(), task: nonEmptyText.optional() }) },
  conversations: {
    0: closedObject({
      run: nonEmptyText.optional(),
      text: text.optional(),
      archived: flag.optional(),
      limit: count(1).optional(),
    }),
  },
  changeConversation: { ...id, 1: closedObject({ title: any, archived: any }) },
  deleteConversation: id,
  answer: id,
  prune: { 0: field("a number of milliseconds", Number.isFinite) },
  events: {
    0: closedObject({
      after: text.optional(),
      live: flag.optional(),
      signal: signalField.optional(),
    }),
  },
  onEvent: { 0: callback },
  onActivity: { 0: callback },
  watchAgents: { 0: callback },
  close: { 0: closedObject({ leaveRuns: flag.optional() }) },
};

/** The arguments of the methods of `cadre.commands`. */
export const commandArguments: ArgumentSchemas<ProjectCommands> = {
  list: { 0: closedObject({ taken: listField(nonEmptyText, "names").optional() }) },
  fill: { ...id, 1: text.optional() },
};

/** The arguments of the methods of `cadre.changes`. */
export const changesArguments: ArgumentSchemas<RunChanges> = {
  read: { ...id, 1: listField(nonEmptyText, "paths") },
  merge: {
    0: listField(nonEmptyText, "ids of runs"),
    1: closedObject({
      strategy: oneOf(strategies).optional(),
      dryRun: flag.optional(),
      keep: flag.optional(),
    }),
  },
  discard: id,
};
