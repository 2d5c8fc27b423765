import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { configuredExtensions } from "../../config/config.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { CadreError } from "../../errors.ts";
import { checkCommand } from "../../extension/check-command.ts";
import { checkLaunch } from "../../extension/check-launch.ts";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { didYouMean } from "../../source/nearest.ts";
import { locateSetting } from "./locate-setting.ts";

/** Options of {@link checkExtensions}. */
export interface ExtensionCheckOptions {
  /** The folder of the project, absolute. */
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  configuration: Pick<LoadedConfig, "config" | "sources">;
}

/** Checks the configured extensions without starting servers: missing variables and commands. */
export async function checkExtensions(options: ExtensionCheckOptions): Promise<Diagnostic[]> {
  const { config, sources } = options.configuration;
  const found = configuredExtensions(config).map(async (extension) => {
    const place = locateSetting(sources, `extensions.${extension.name}`);
    return await findLaunchProblem(extension, place, options);
  });
  return (await Promise.all(found)).flat();
}

/** Checks the extensions of an agent in the same way, and those that it names by the configuration. */
export async function checkAgentExtensions(
  agent: AgentDefinition,
  options: ExtensionCheckOptions,
): Promise<Diagnostic[]> {
  const { extensions = [], source, lines } = agent;
  const place = { path: source.path ?? "", line: lines["extensions"] ?? 1 };
  const names = configuredExtensions(options.configuration.config).map(({ name }) => name);
  const found = extensions.map(async (extension) =>
    typeof extension === "string"
      ? findUnknown(agent, extension, names, place)
      : await findLaunchProblem(extension, place, options),
  );
  return (await Promise.all(found)).flat();
}

/** Where a finding is. */
type Place = Pick<Diagnostic, "path" | "line">;

async function findLaunchProblem(
  config: ExtensionConfig,
  place: Place,
  { environment, cwd }: ExtensionCheckOptions,
): Promise<Diagnostic[]> {
  try {
    checkLaunch(config, environment);
    await checkCommand(config, environment, cwd);
    return [];
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    // This affects only runs that use it, on this machine.
    const finding = { severity: "warning", code: "extension-unusable", fix: null } as const;
    return [{ ...place, column: 1, ...finding, message: error.message }];
  }
}

function findUnknown(
  { name }: Pick<AgentDefinition, "name">,
  extension: string,
  names: readonly string[],
  place: Place,
): Diagnostic[] {
  if (names.includes(extension)) return [];
  const message = `Agent ${name} names the extension ${extension}, which is not configured: it would run without it.${didYouMean(extension, names)}`;
  const fix = `Add \`${extension}\` under \`extensions:\` of .cadre/config.yaml, or remove it.`;
  return [{ ...place, column: 1, severity: "warning", code: "extension-unknown", message, fix }];
}
