import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import { dirname } from "node:path";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { checkDefinition } from "../../delegate/request/check-definition.ts";
import type { RecordedRun } from "../../engine/life/recorded-run.ts";
import { digestRunner, type StoredDefinition } from "../../engine/life/stored-definition.ts";
import { CadreError } from "../../errors.ts";
import { recipeFolders } from "../../recipe/recipe-folder.ts";
import type { OfferedRecipe } from "../../run/offered-recipe.ts";
import type { RunSpec } from "../../run/run.ts";
import { findProjectRoot } from "../../source/file/project-root.ts";
import { isInside } from "../../source/file/real-path.ts";
import type { AdmissionContext } from "./admission-context.ts";
import { type CurrentDefinition, findDefinition, isUsersRecipe } from "./find-definition.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/**
 * Finds the definition with which a recorded run may continue. Its text for the model stays as recorded. The code that it
 * executes (a program, Lua, a runner, commands) must still match its file, or the agent given in code.
 *
 * @throws CadreError `not-trusted`, or `agent-not-found` and `definition-invalid` when it is gone or has changed.
 */
export async function admitDefinition(
  context: AdmissionContext,
  { spec, definition }: RecordedRun,
): Promise<AgentDefinition> {
  const { runnerDigest: _, recipes, ...stored } = definition;
  const offered = recipes?.map((recipe) => admitRecipe(context, recipe));
  const admitted = { ...stored, ...omitUndefined({ recipes: offered }) };
  if (!hasCode({ spec, definition })) return admitted;
  const { name, source } = definition;
  if (agentKindOf(source).code?.isStored === false)
    await requireTrustedProgram(context, definition);
  const current = await findDefinition(context, { name, path: source.path });
  if (current === undefined) throw gone(definition);
  checkDefinition(current, context.isTrusted);
  const change = await findChange(current, { spec, definition });
  if (change !== undefined) throw changed(definition, change);
  const { runner } = current;
  return { ...admitted, source: current.source, ...omitUndefined({ runner }) };
}

/** Reports whether a definition executes code without permission checks. */
function hasCode({ spec, definition }: RecordedRun): boolean {
  const { source, runner } = definition;
  const isOwn = source.scope === "builtin" && source.path === null;
  const { code } = agentKindOf(source);
  // No stored code is Cadre's own, whatever the journal says.
  const isCode = code !== null && (code.isStored || !isOwn);
  return (
    isCode || runner !== undefined || definition.hooks !== undefined || commandsOf(spec).length > 0
  );
}

function commandsOf({ retry }: RunSpec): string[] {
  const checks = (retry?.checks ?? []).map(({ command }) => command);
  return retry?.onFailure === undefined ? checks : [...checks, retry.onFailure];
}

/** Checks trust first: the name of an untrusted program is in its code, which must not run. */
async function requireTrustedProgram(
  { catalog, isTrusted }: AdmissionContext,
  { name, source: { path } }: StoredDefinition,
): Promise<void> {
  if (path === null || isTrusted(path)) return;
  const { all } = await catalog.discover();
  if (all.some(({ source }) => source.path === path && source.scope === "user")) return;
  const message = `Agent ${name} would run the code in ${path}, of a folder that is not trusted. Read it, then type \`cadre trust\` there, or add the option \`trust\`.`;
  throw new CadreError("not-trusted", message, { details: { path } });
}

/** Finds code of the recorded run that its file no longer contains. */
async function findChange(
  current: CurrentDefinition,
  { spec, definition }: RecordedRun,
): Promise<string | undefined> {
  const { source, systemPrompt, runner } = definition;
  if (current.source.format !== source.format) return "is in another format";
  const { code } = agentKindOf(source);
  const isOtherCode = code?.isStored === true && current.systemPrompt !== systemPrompt;
  if (isOtherCode) return `has other ${code.name}`;
  if (runner !== undefined) {
    const digest = definition.runnerDigest ?? digestRunner(runner);
    const isSame = current.runner !== undefined && digestRunner(current.runner) === digest;
    if (!isSame) return "has another runner";
  }
  if (JSON.stringify(current.hooks) !== JSON.stringify(definition.hooks)) return "has other hooks";
  for (const command of commandsOf(spec)) {
    if (!(await current.hasCommand(command))) return `has other commands (no ${command})`;
  }
  return undefined;
}

function gone({ name, source: { path } }: StoredDefinition): CadreError {
  const message =
    path === null
      ? `Its agent ${name} was given in code, and this process does not have it. Pass it to createCadre({ agents }).`
      : `Its agent ${name} is no longer in ${path}. Put it back, or start a new run.`;
  return new CadreError("agent-not-found", message, { details: { agent: name, path } });
}

function changed({ name, source: { path } }: StoredDefinition, change: string): CadreError {
  const where = path === null ? "given in code" : `in ${path}`;
  const message = `Its agent ${name} (${where}) ${change} than the one the run began with. Restore that, or start a new run.`;
  return new CadreError("definition-invalid", message, { details: { agent: name, path } });
}

/** Finds a recipe. Its place decides whether it is the user's own and what it may read. */
function admitRecipe(context: AdmissionContext, recipe: OfferedRecipe): OfferedRecipe {
  const { path, root } = recipe;
  const isUsers = isUsersRecipe(context, path);
  const folders = isUsers
    ? recipeFolders(context).map((folder) => folder.path)
    : [findProjectRoot(context)];
  const isKnown = isInside(path, root) && folders.some((folder) => isInside(root, folder));
  return {
    ...recipe,
    scope: isUsers ? "user" : "project",
    root: isKnown ? root : dirname(path),
  };
}
