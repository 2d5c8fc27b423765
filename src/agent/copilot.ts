import type { AgentDefinition } from "./agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readOptionalDescription,
  readOptionalName,
  sourceOf,
} from "./common-fields.ts";
import type { FieldKeys, Fields } from "./fields.ts";
import { readForeignModel } from "./foreign-model.ts";
import { hasMisplacedFrontmatter } from "./misplaced-frontmatter.ts";
import { parseFrontmatter } from "./parse-frontmatter.ts";
import { readServers } from "./server-fields.ts";
import { reportWithoutEffect } from "./without-effect.ts";
import { readRights } from "./restriction/read-rights.ts";
import { restrictionKeys } from "./restriction/restriction-keys.ts";

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

/** Reads a custom agent of Copilot or VS Code (`.github/agents/*.md`); `null` for prose, a file without frontmatter. */
export function parseCopilot(file: AgentFile): AgentDefinition | null {
  const { frontmatter, fields } = parseFrontmatter(file, copilotKeys);
  // VS Code takes a file without frontmatter too; only its name says that it is meant.
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
    ...readRights(fields),
    extensions: addToParents(readServers(fields)),
  });
}

/** The servers of a file are additional in Copilot: the agent has those that are configured, too. */
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
