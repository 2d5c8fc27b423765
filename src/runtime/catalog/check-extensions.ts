import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { discoverAgents, type DiscoverRequest } from "../../agent/discover.ts";
import { configuredExtensions } from "../../config/config.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { CadreError } from "../../errors.ts";
import { checkLaunch } from "../../extension/check-launch.ts";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { didYouMean } from "../../source/nearest.ts";

/** Options of {@link checkExtensions}. */
export interface ExtensionCheckOptions extends DiscoverRequest {
  environment: Readonly<Record<string, string | undefined>>;
  configuration: LoadedConfig;
}

/** Checks extensions without starting servers: missing variables, and names that are not configured. */
export async function checkExtensions(options: ExtensionCheckOptions): Promise<Diagnostic[]> {
  const { configuration } = options;
  const configured = configuredExtensions(configuration.config);
  const names = configured.map(({ name }) => name);
  const { agents } = await discoverAgents(options);
  const own = agents.filter(({ source }) => source.scope === "project");
  return [
    ...configured.flatMap((config) => findLaunchProblem(config, options)),
    ...own.flatMap((agent) => findUnknown(agent, names)),
  ];
}

function findLaunchProblem(
  config: ExtensionConfig,
  { environment, configuration }: ExtensionCheckOptions,
): Diagnostic[] {
  try {
    checkLaunch(config, environment);
    return [];
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    const origin = configuration.sources[`extensions.${config.name}`]?.origin ?? "";
    const [, path = origin, line = "1"] = /^(.*):(\d+)$/.exec(origin) ?? [];
    const position = { path, line: Number(line), column: 1 };
    // This affects only runs that use it, on this machine.
    const finding = { severity: "warning", code: "extension-unusable", fix: null } as const;
    return [{ ...position, ...finding, message: error.message }];
  }
}

function findUnknown(
  { name, extensions = [], source, lines }: AgentDefinition,
  names: readonly string[],
): Diagnostic[] {
  const named = extensions.filter((extension) => typeof extension === "string");
  const unknown = named.filter((extension) => !names.includes(extension));
  return unknown.map((extension) => ({
    path: source.path ?? "",
    line: lines["extensions"] ?? 1,
    column: 1,
    severity: "warning",
    code: "extension-unknown",
    message: `Agent ${name} names the extension ${extension}, which is not configured: it would run without it.${didYouMean(extension, names)}`,
    fix: `Add \`${extension}\` under \`extensions:\` of .cadre/config.yaml, or remove it.`,
  }));
}
