import type { AgentDefinition } from "../definition/agent.ts";
import { type AgentFile, readSharedFields } from "../fields/common-fields.ts";
import type { FieldKeys } from "../fields/fields.ts";
import { parseDefinition } from "../fields/parse-frontmatter.ts";
import { readRights } from "../restriction/read-rights.ts";
import { restrictionKeys } from "../fields/restriction-keys.ts";

const acaiKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  model: ["model"],
  timeoutSeconds: ["timeout"],
  ...restrictionKeys,
};

/** Reads a sub-agent of acai (`.acai/subagents/*.md`). */
export function parseAcai(file: AgentFile): AgentDefinition {
  return parseDefinition(file, {
    format: "acai",
    keys: acaiKeys,
    read: (fields, frontmatter) => ({
      ...readSharedFields(fields, frontmatter),
      ...readRights(fields),
    }),
  });
}
