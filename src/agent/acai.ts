import type { AgentDefinition } from "./agent.ts";
import {
  type AgentFile,
  createDefinition,
  readBody,
  readDescription,
  readFileName,
  readModel,
  sourceOf,
} from "./common-fields.ts";
import { readNumber } from "./field-readers.ts";
import type { FieldKeys } from "./fields.ts";
import { parseFrontmatter, reportNoFrontmatter } from "./parse-frontmatter.ts";
import { readRights } from "./restriction/read-rights.ts";
import { restrictionKeys } from "./restriction/restriction-keys.ts";

const acaiKeys: FieldKeys = {
  name: ["name"],
  description: ["description"],
  model: ["model"],
  timeoutSeconds: ["timeout"],
  ...restrictionKeys,
};

/** Reads a definition of acai (`.acai/subagents/*.md`). */
export function parseAcai(file: AgentFile): AgentDefinition {
  const { frontmatter, fields } = parseFrontmatter(file, acaiKeys);
  const source = sourceOf(file, "acai");
  if (frontmatter.data === null) {
    reportNoFrontmatter(fields);
    return createDefinition(fields, source, {});
  }
  return createDefinition(fields, source, {
    name: readFileName(fields),
    description: readDescription(fields, 1024),
    systemPrompt: readBody(frontmatter, fields),
    model: readModel(fields),
    ...readRights(fields),
    timeoutSeconds: readNumber(fields, "timeoutSeconds", { min: 1, max: 3600 }),
  });
}
