import { dirname, resolve } from "node:path";
import type { Diagnostic } from "../source/diagnostic.ts";
import { isRecord, type JsonObject } from "../source/json.ts";
import { isInside, resolveReal } from "../source/real-path.ts";
import { readTextFile } from "../source/text-file.ts";
import { readToml, type TomlReading } from "../source/toml.ts";
import type { AgentDefinition, AgentScope } from "./agent.ts";
import { type CodexRole, parseCodex, parseCodexRole } from "./codex.ts";

/** A layer of Codex: a `.codex` folder. */
export interface CodexLayer {
  /** Its `config.toml`, absolute. */
  config: string;
  /** Files of roles must stay inside of it; absolute. */
  root: string;
  scope: AgentScope;
}

/** What `[agents.NAME]` in a `config.toml` came to. */
export interface CodexRoles {
  definitions: AgentDefinition[];
  /** The files that are read already, by their roles. */
  files: ReadonlySet<string>;
  diagnostics: Diagnostic[];
}

/** Reads the roles that a layer's `config.toml` declares, with their `config_file`; without such a file there are none. */
export async function loadCodexRoles(layer: CodexLayer): Promise<CodexRoles> {
  const { text } = await readTextFile(layer.config);
  const toml = readToml(text ?? "", layer.config);
  const files = new Set<string>();
  // What else is wrong in the configuration of Codex is no concern of agents.
  const diagnostics = toml.diagnostics.map((finding) => asWarning(finding));
  const agents = toml.value?.["agents"];
  const roles = isRecord(agents) ? Object.entries(agents) : [];
  const definitions: AgentDefinition[] = [];
  for (const [name, role] of roles) {
    // The rest of `[agents]` are limits.
    if (!isRecord(role)) continue;
    const file =
      typeof role.config_file === "string"
        ? resolve(dirname(layer.config), role.config_file)
        : null;
    if (file !== null) files.add(file);
    definitions.push(await loadRole({ layer, toml, name, role }, file));
  }
  return { definitions, files, diagnostics };
}

interface Declared {
  layer: CodexLayer;
  toml: TomlReading;
  name: string;
  role: JsonObject;
}

async function loadRole(
  { layer, toml, name, role }: Declared,
  file: string | null,
): Promise<AgentDefinition> {
  const { config, root, scope } = layer;
  const placeOf = (...keys: (string | number)[]) => toml.placeOf("agents", name, ...keys);
  const declared = parseCodexRole(
    { path: config, data: { ...role, name }, placeOf, diagnostics: [] },
    scope,
  );
  if (file === null) return declared;
  const real = await resolveReal(file);
  const isOut = real !== null && !isInside(real, (await resolveReal(root)) ?? root);
  const { text, diagnostics } = isOut ? { text: null, diagnostics: [] } : await readTextFile(file);
  if (text === null) {
    const place = placeOf("config_file");
    const got = isOut
      ? "it leads out of the project (or home) folder"
      : (diagnostics[0]?.message ?? "");
    const message = `The \`config_file\` of \`${name}\`, ${file}, cannot be used: ${got}`;
    const fix = "Correct the path; it is relative to the folder of config.toml.";
    const finding = {
      path: config,
      ...place,
      severity: "error",
      code: "config-file",
      message,
      fix,
    } as const;
    return { ...declared, diagnostics: [finding] };
  }
  const known: CodexRole = { name, origin: `${config}:${placeOf().line}` };
  if (declared.description !== "") known.description = declared.description;
  return parseCodex({ path: file, text, scope }, known);
}

/**
 * Fills in what definitions of Codex do not say from those of the same name in lower layers, as Codex does: a missing
 * description, and for a role without a file everything else. `definitions` are in order of precedence.
 */
export function mergeCodexLayers(definitions: readonly AgentDefinition[]): AgentDefinition[] {
  return definitions.map((definition, index) => {
    if (definition.source.format !== "codex") return definition;
    const lower = definitions
      .slice(index + 1)
      .filter(({ source, name }) => source.format === "codex" && name === definition.name);
    return lower.reduce((merged, next) => fillIn(merged, next), definition);
  });
}

function fillIn(definition: AgentDefinition, lower: AgentDefinition): AgentDefinition {
  const isMissing = (code: string): boolean =>
    definition.diagnostics.some((one) => one.code === code);
  if (isMissing("role-without-file") && lower.systemPrompt !== "") {
    const { description, lines, source, origins } = definition;
    if (description === "") return lower;
    const own = originOf({ source, lines, origins }, "description");
    return { ...lower, description, origins: { ...lower.origins, description: own } };
  }
  if (!isMissing("description-missing") || lower.description === "") return definition;
  const { diagnostics, origins } = definition;
  return {
    ...definition,
    description: lower.description,
    diagnostics: diagnostics.filter(({ code }) => code !== "description-missing"),
    origins: { ...origins, description: originOf(lower, "description") },
  };
}

function originOf(
  {
    source,
    lines,
    origins,
  }: Pick<AgentDefinition, "source" | "lines"> & {
    origins?: AgentDefinition["origins"] | undefined;
  },
  field: string,
): string {
  return origins?.[field] ?? `${source.path}:${lines[field] ?? 1}`;
}

function asWarning(finding: Diagnostic): Diagnostic {
  const fix = "Correct the TOML here; until then the roles of this file are not known.";
  return { ...finding, severity: "warning", fix };
}
