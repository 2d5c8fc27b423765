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
import { onFirstUse } from "../../on-first-use.ts";

const strategies: readonly MergeStrategy[] = ["merge", "squash", "rebase", "patch"];
const idSchemas = { 0: nonEmptyText };
const id = (): typeof idSchemas => idSchemas;
const text = field("text", (value) => typeof value === "string");
/** Any value; it is checked on use. */
const any = z.any().optional();
/** The fields of a request that starts a graph or a pipeline. */
const fileRequest = {
  id: any,
  label: any,
  model: any,
  fallbacks: any,
  timeoutSeconds: any,
  budget: any,
  queue: any,
};

/** The arguments of the methods of Cadre, except requests for runs, agents and tools, which are checked on use. */
export const cadreArguments: ArgumentSchemas<Cadre> = {
  agent: id,
  find: id,
  tree: id,
  waiting: id,
  retry: onFirstUse(() => ({ ...idSchemas, 1: limitRaiseSchema })),
  runs: onFirstUse(() => ({
    0: closedObject({
      ids: listField(nonEmptyText, "ids of runs").optional(),
      status: listField(oneOf(runStatuses), "statuses of runs").optional(),
      agent: nonEmptyText.optional(),
      rootsOnly: flag.optional(),
      before: nonEmptyText.optional(),
      limit: count(1).optional(),
    }),
  })),
  usage: onFirstUse(() => ({
    0: closedObject({ since: count(0), until: count(0), periodMs: count(1) }),
  })),
  search: onFirstUse(() => ({
    0: closedObject({ text, limit: count(1).optional(), cursor: nonEmptyText.optional() }),
  })),
  spawnPipeline: onFirstUse(() => ({
    ...idSchemas,
    1: closedObject({ ...fileRequest, task: any, parameters: any }),
  })),
  spawnGraph: onFirstUse(() => ({
    ...idSchemas,
    1: closedObject(fileRequest),
  })),
  resolveModel: onFirstUse(() => ({ 0: nonEmptyText.optional() })),
  resume: onFirstUse(() => ({
    ...idSchemas,
    1: closedObject({
      onRefused: callback.optional(),
      others: flag.optional(),
      models: listField(nonEmptyText, "ids of models").optional(),
    }),
  })),
  fork: onFirstUse(() => ({
    ...idSchemas,
    1: closedObject({ at: nonEmptyText.optional(), task: nonEmptyText.optional() }),
  })),
  conversations: onFirstUse(() => ({
    0: closedObject({
      run: nonEmptyText.optional(),
      text: text.optional(),
      archived: flag.optional(),
      limit: count(1).optional(),
    }),
  })),
  changeConversation: onFirstUse(() => ({
    ...idSchemas,
    1: closedObject({ title: any, archived: any }),
  })),
  deleteConversation: id,
  answer: id,
  prune: onFirstUse(() => ({ 0: field("a number of milliseconds", Number.isFinite) })),
  events: onFirstUse(() => ({
    0: closedObject({
      after: text.optional(),
      live: flag.optional(),
      signal: signalField.optional(),
    }),
  })),
  onEvent: onFirstUse(() => ({ 0: callback })),
  onActivity: onFirstUse(() => ({ 0: callback })),
  watchAgents: onFirstUse(() => ({ 0: callback })),
  close: onFirstUse(() => ({ 0: closedObject({ leaveRuns: flag.optional() }) })),
};

/** The arguments of the methods of `cadre.commands`. */
export const commandArguments: ArgumentSchemas<ProjectCommands> = {
  list: onFirstUse(() => ({
    0: closedObject({ taken: listField(nonEmptyText, "names").optional() }),
  })),
  fill: onFirstUse(() => ({ ...idSchemas, 1: text.optional() })),
};

/** The arguments of the methods of `cadre.changes`. */
export const changesArguments: ArgumentSchemas<RunChanges> = {
  list: onFirstUse(() => ({ 0: nonEmptyText.optional() })),
  read: onFirstUse(() => ({ ...idSchemas, 1: listField(nonEmptyText, "paths") })),
  merge: onFirstUse(() => ({
    0: listField(nonEmptyText, "ids of runs"),
    1: closedObject({
      strategy: oneOf(strategies).optional(),
      dryRun: flag.optional(),
      keep: flag.optional(),
    }),
  })),
  discard: id,
};
