import { type AgentCode, agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { nameRunner } from "../../agent/fields/runner.ts";
import { CadreError } from "../../errors.ts";
import { listHookCommands, showHookCommand } from "../../run/hook/hook-commands.ts";
import { checkSchema } from "../../source/schema/json-schema.ts";

/**
 * Requires that a run of `definition` may be executed.
 *
 * @throws CadreError `definition-invalid`, or `not-trusted` when it would run commands or Lua from an untrusted folder.
 */
export function checkDefinition(
  definition: AgentDefinition,
  isTrusted: (path: string) => boolean,
): void {
  const { name, outputSchema, retry, runner, source } = definition;
  const problem = outputSchema === undefined ? undefined : checkSchema(outputSchema);
  if (problem !== undefined) {
    const message = `Agent ${name} cannot be used: its outputSchema is not valid. ${problem}`;
    throw new CadreError("definition-invalid", message);
  }
  if (source.scope === "user" || source.path === null || isTrusted(source.path)) return;
  const { code } = agentKindOf(source);
  if (code?.isStored === true) throw untrustedCode(name, code, source.path);
  const checks = (retry?.checks ?? []).map(({ command }) => command);
  if (retry?.onFailure !== undefined) checks.push(retry.onFailure);
  if (checks.length > 0) throw untrusted(definition, checks, "to check its result");
  const hooks = listHookCommands(definition.hooks).map(({ command }) => showHookCommand(command));
  if (hooks.length > 0) throw untrusted(definition, hooks, "as its hooks");
  if (runner !== undefined) throw untrusted(definition, [nameRunner(runner)], "as its runner");
}

function untrustedCode(name: string, code: AgentCode, path: string): CadreError {
  const message = `Agent ${name} would run the ${code.name} in ${path}, and the modules it requires, from a folder that is not trusted. Read it, then type \`cadre trust\` there (or use the option \`trust\` for one run).`;
  return new CadreError("not-trusted", message, { details: { path } });
}

function untrusted(
  { name, source }: AgentDefinition,
  commands: readonly string[],
  purpose: string,
): CadreError {
  const message = `Agent ${name} would run commands from a folder that is not trusted, ${purpose}: ${commands.join("; ")}. Read ${source.path}, then type \`cadre trust\` there (or use the option \`trust\` for one run).`;
  return new CadreError("not-trusted", message, { details: { commands } });
}
