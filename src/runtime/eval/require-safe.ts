import { type AgentDefinition, isProgram } from "../../agent/definition/agent.ts";
import { isFileModel } from "../../delegate/settings/choose-model.ts";
import { CadreError } from "../../errors.ts";
import type { LoadedCase } from "../../eval/eval-file.ts";
import type { Recordings } from "./eval-record.ts";
import { isWorkspacePath } from "../../eval/workspace-path.ts";

/** The user's permissions. */
interface Allowed {
  recordings?: Recordings | undefined;
  isTrusted: (path: string) => boolean;
}

/**
 * Requires that an eval does nothing that its user did not allow: no commands or file models from a file in an untrusted folder,
 * and no model requests that a recording would miss.
 *
 * @throws CadreError `not-trusted` or `invalid-argument`.
 */
export function requireSafe(
  cases: readonly LoadedCase[],
  agents: readonly AgentDefinition[],
  { isTrusted, recordings }: Allowed,
): void {
  for (const one of cases) {
    requireInWorkspace(one);
    if (!isTrusted(one.path)) requireHarmless(one);
  }
  const runs = cases.filter(({ delegation }) => delegation === "run");
  if (recordings === undefined || runs.length === 0) return;
  const own = agents.filter((agent) => agent.model !== undefined && !isProgram(agent));
  const others = own.filter(({ name }) => runs.some(({ agent }) => agent !== name));
  if (others.length === 0) return;
  const names = others.map(({ name, model }) => `${name} (${model})`).join(", ");
  const message = `Expected agents that use the model of the eval, because only that is recorded; these name their own: ${names}. Use \`delegation: stop\`, or remove their \`model\`.`;
  throw new CadreError("invalid-argument", message);
}

/** Those of a resumed eval come from its file, which nothing has checked. */
function requireInWorkspace({ name, files = {} }: LoadedCase): void {
  const file = Object.keys(files).find((one) => !isWorkspacePath(one));
  if (file === undefined) return;
  const message = `Expected the paths of files in the workspace in the case ${name}; got ${file}.`;
  throw new CadreError("invalid-argument", message);
}

function requireHarmless({ name, path, checks = [], models = [], judgeModel }: LoadedCase): void {
  const commands = checks.flatMap((check) => ("command" in check ? [check.command] : []));
  const judges = checks.flatMap((check) => ("judge" in check ? [check.model ?? ""] : []));
  const files = [...models, judgeModel ?? "", ...judges].filter(isFileModel);
  const [what] = [...commands.map((one) => `the command \`${one}\``), ...files];
  if (what === undefined) return;
  const message = `The case ${name} of ${path} would use ${what}, and its folder is not trusted. Read the file, then pass --trust, or trust the folder with \`cadre trust\`.`;
  throw new CadreError("not-trusted", message);
}
