import type { AgentDefinition } from "../definition/agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readOptionalDescription,
  readOptionalName,
  sourceOf,
} from "../fields/common-fields.ts";
import type { FieldKeys, Fields } from "../fields/fields.ts";
import { readForeignFallbacks, readForeignModel } from "../fields/foreign-model.ts";
import { hasMisplacedFrontmatter } from "../fields/misplaced-frontmatter.ts";
import { parseFrontmatter } from "../fields/parse-frontmatter.ts";
import { readServers } from "../fields/server-fields.ts";
import { reportWithoutEffect } from "../fields/without-effect.ts";
import { readRights } from "../restriction/read-rights.ts";
import { restrictionKeys } from "../fields/restriction-keys.ts";

const copilotKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  ...restrictionKeys,
  model: ["model"],
  extensions: ["mcp-servers", "mcpServers"],
  handoffs: ["handoffs"],
  modelInvocation: ["disable-model-invocation", "infer"],
  userInvocable: ["user-invocable", "user-invokable"],
  hooks: ["hooks"],
  target: ["target"],
  argumentHint: ["argument-hint"],
  metadata: ["metadata"],
  color: ["color"],
  mode: ["mode"],
};

/**
 * Reads a custom agent of Copilot or VS Code (`.github/agents/*.md`). Returns `null` for prose, a file without
 * frontmatter.
 */
export function parseCopilot(file: AgentFile): AgentDefinition | null {
  const { frontmatter, fields } = parseFrontmatter(file, copilotKeys);
  // VS Code also reads files without frontmatter if their name says that they are agents.
  const isNamed = /\.(?:agent|chatmode)\.md$/.test(file.path);
  if (frontmatter.data === null && (!isNamed || hasMisplacedFrontmatter(file.text))) return null;
  reportWithoutEffect(fields, ["handoffs", "hooks"]);
  reportWithoutEffect(
    fields,
    ["target", "argumentHint", "userInvocable", "metadata", "mode", "color"],
    "info",
  );
  reportInvocation(fields);
  const body = readBody(frontmatter, fields);
  return createDefinition(fields, sourceOf(file, "copilot"), {
    name: readOptionalName(fields),
    description: readOptionalDescription(fields, body),
    systemPrompt: body,
    model: readForeignModel(fields),
    fallbacks: readForeignFallbacks(fields),
    ...readRights(fields),
    extensions: addToParents(readServers(fields)),
  });
}

/** In Copilot, the servers of a file are added to the configured ones. */
function addToParents(servers: AgentDefinition["extensions"]): AgentDefinition["extensions"] {
  return servers === undefined ? undefined : ["*", ...servers];
}

function reportInvocation(fields: Fields): void {
  const field = fields.written.get("modelInvocation");
  if (field === undefined || field.value === (field.key === "infer")) return;
  const message = `\`${field.key}\` keeps other agents from delegating to this one in Copilot; it has no effect here.`;
  const fix =
    'Limit who may delegate to it by `agents:` of the others, or a rule `deny: ["Agent(NAME)"]` in .cadre/config.yaml.';
  fields.report([field.key], { severity: "warning", code: "unsupported-field", message, fix });
}
