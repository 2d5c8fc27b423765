import { dirname, resolve } from "node:path";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { isInside, resolveReal } from "../../source/file/real-path.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import { readToml, type TomlReading } from "../../source/toml.ts";
import type { AgentDefinition } from "../definition/agent.ts";
import type { DeclarationSearch, DeclaredAgents } from "../format/agent-file-format.ts";
import { type CodexRole, parseCodex, parseCodexRole } from "./codex.ts";

/** Reads the roles that a `config.toml` declares. A missing file declares none. */
export async function loadCodexRoles(
  config: string,
  search: DeclarationSearch,
): Promise<DeclaredAgents> {
  const { text } = await readTextFile(config);
  const toml = readToml(text ?? "", config);
  const files = new Set<string>();
  // Other mistakes in Codex's configuration do not affect agents.
  const diagnostics = toml.diagnostics.map((finding) => asWarning(finding));
  const agents = toml.value?.["agents"];
  const roles = isRecord(agents) ? Object.entries(agents) : [];
  const definitions: AgentDefinition[] = [];
  for (const [name, role] of roles) {
    // The other keys of `[agents]` are limits.
    if (!isRecord(role)) continue;
    const file =
      typeof role.config_file === "string" ? resolve(dirname(config), role.config_file) : null;
    if (file !== null) files.add(file);
    definitions.push(await loadRole({ search, config, toml, name, role }, file));
  }
  return { definitions, files, diagnostics };
}

interface Declared {
  search: DeclarationSearch;
  /** The path of `config.toml`, absolute. */
  config: string;
  toml: TomlReading;
  name: string;
  role: JsonObject;
}

async function loadRole(
  { search, config, toml, name, role }: Declared,
  file: string | null,
): Promise<AgentDefinition> {
  const { root, scope, ownTools } = search;
  const positionOf = (...keys: (string | number)[]) => toml.positionOf("agents", name, ...keys);
  const declared = parseCodexRole(
    { path: config, data: { ...role, name }, positionOf, diagnostics: [], ownTools },
    scope,
  );
  if (file === null) return declared;
  const real = await resolveReal(file);
  const isOut = real !== null && !isInside(real, (await resolveReal(root)) ?? root);
  const { text, diagnostics } = isOut ? { text: null, diagnostics: [] } : await readTextFile(file);
  if (text === null) {
    const got = isOut
      ? "it leads out of the project (or home) folder"
      : (diagnostics[0]?.message ?? "");
    const message = `The \`config_file\` of \`${name}\`, ${file}, cannot be used: ${got}`;
    const fix = "Correct the path; it is relative to the folder of config.toml.";
    const finding = {
      path: config,
      ...positionOf("config_file"),
      severity: "error",
      code: "config-file",
      message,
      fix,
    } as const;
    return { ...declared, diagnostics: [finding] };
  }
  const known: CodexRole = { name, origin: `${config}:${positionOf().line}` };
  if (declared.description !== "") known.description = declared.description;
  return parseCodex({ path: file, text, scope, ownTools }, known);
}

/**
 * Completes each role from roles with the same name in lower layers, as Codex does: its description if it has none, and all other
 * values if it has no file. `roles` are in order of precedence.
 */
export function mergeCodexLayers(roles: readonly AgentDefinition[]): AgentDefinition[] {
  return roles.map((role, index) => {
    const lower = roles.slice(index + 1).filter(({ name }) => name === role.name);
    return lower.reduce((merged, next) => fillIn(merged, next), role);
  });
}

function fillIn(definition: AgentDefinition, lower: AgentDefinition): AgentDefinition {
  const isMissing = (code: string): boolean =>
    definition.diagnostics.some((one) => one.code === code);
  if (isMissing("role-without-file") && lower.systemPrompt !== "") {
    const { description, lines, source, origins } = definition;
    if (description === "") return lower;
    const own = originOfDescription({ source, lines, origins });
    return { ...lower, description, origins: { ...lower.origins, description: own } };
  }
  if (!isMissing("description-missing") || lower.description === "") return definition;
  const { diagnostics, origins } = definition;
  return {
    ...definition,
    description: lower.description,
    diagnostics: diagnostics.filter(({ code }) => code !== "description-missing"),
    origins: { ...origins, description: originOfDescription(lower) },
  };
}

function originOfDescription({
  source,
  lines,
  origins,
}: Pick<AgentDefinition, "source" | "lines"> & {
  origins?: AgentDefinition["origins"] | undefined;
}): string {
  return origins?.["description"] ?? `${source.path}:${lines["description"] ?? 1}`;
}

function asWarning(finding: Diagnostic): Diagnostic {
  const fix = "Correct the TOML here. Until then, the roles of this file are not read.";
  return { ...finding, severity: "warning", fix };
}
