import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { matchesWildcard } from "../../tool/path/wildcard.ts";
import { plainLine, plainText } from "../plain-text.ts";

/** A validated tool of a server. */
export interface RemoteTool {
  /** The server's own name of the tool. */
  name: string;
  description: string;
  inputSchema: JsonObject;
}

/** The tools of a server, with warnings about omitted ones. */
export interface ToolList {
  tools: readonly RemoteTool[];
  warnings: readonly string[];
}

const maxPages = 64;
const maxTools = 1000;
const descriptionCharacters = 8000;
const schemaCharacters = 64 * 1024;
const listMs = 60_000;
/** The maximum number of tools that a message lists. */
const maxNamed = 50;

/** A page of unvalidated tools. Each tool is validated separately, so that an invalid one does not hide the others. */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/**
 * Lists the tools of a server that a model can use.
 *
 * @throws when the server does not answer, or its list is too long.
 */
export async function listTools(client: Client, extension: string): Promise<ToolList> {
  const title = `MCP server ${extension}`;
  if (client.getServerCapabilities()?.tools === undefined) {
    return { tools: [], warnings: [`The ${title} offers no tools.`] };
  }
  const warnings: string[] = [];
  const tools = new Map<string, RemoteTool>();
  for (const offered of await fetchAll(client)) {
    const tool = checkTool(offered);
    if (typeof tool === "string") warnings.push(`A tool of the ${title} was left out: ${tool}.`);
    else if (tools.has(tool.name)) {
      warnings.push(
        `The ${title} offers two tools named ${show(tool.name)}; the first one is used.`,
      );
    } else tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], warnings };
}

/** Selects the tools that a configuration allows. A pattern that matches none of them causes a warning. */
export function selectWanted(list: ToolList, config: ExtensionConfig): ToolList {
  const { allow, deny = [], readOnly = [] } = config;
  const names = list.tools.map(({ name }) => name);
  const patterns = [...(allow ?? []), ...readOnly];
  const idle = patterns.filter((pattern) => !names.some((name) => matchesWildcard(pattern, name)));
  const offered = names.slice(0, maxNamed).map(show).join(", ") || "none";
  const warnings = idle.map(
    (pattern) =>
      `The configuration of the MCP server ${config.name} names ${show(pattern)}, but none of its tools has such a name. It offers: ${offered}.`,
  );
  const isWanted = (name: string): boolean => {
    const matches = (pattern: string): boolean => matchesWildcard(pattern, name);
    return !deny.some(matches) && (allow === undefined || allow.some(matches));
  };
  return {
    tools: list.tools.filter(({ name }) => isWanted(name)),
    warnings: [...list.warnings, ...warnings],
  };
}

async function fetchAll(client: Client): Promise<unknown[]> {
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < maxPages; count += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, page, {
      timeout: listMs,
    });
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (tools.length > maxTools) {
      throw new RangeError(`it offers more than ${maxTools} tools`);
    }
    if (cursor === undefined) return tools;
  }
  throw new RangeError(`its list has more than ${maxPages} pages`);
}

/** Returns the validated tool, or the problem with it. */
function checkTool(offered: unknown): RemoteTool | string {
  if (!isRecord(offered)) return `an object was expected, got ${show(JSON.stringify(offered))}`;
  const { name, description, inputSchema } = offered;
  if (typeof name !== "string" || name.trim() === "") return "it has no name";
  if (name.length > 1000) return `its name has ${name.length} characters`;
  const problem = schemaProblem(inputSchema);
  if (problem !== null) return `${show(name)} ${problem}`;
  const text = typeof description === "string" ? plainText(description) : "";
  return {
    name,
    description:
      text.length > descriptionCharacters ? `${text.slice(0, descriptionCharacters)}…` : text,
    inputSchema: inputSchema as JsonObject,
  };
}

/** Describes a schema that makes providers refuse the whole request; `null` for a valid one. */
export function schemaProblem(schema: unknown): string | null {
  if (!isRecord(schema)) return "has no schema of its arguments";
  if (schema["type"] !== "object") return "has a schema that is not of the type object";
  const { properties = {}, required = [] } = schema;
  const isSchema = (value: unknown): boolean => isRecord(value) || typeof value === "boolean";
  if (!isRecord(properties) || !Object.values(properties).every(isSchema)) {
    return "has a schema with invalid properties";
  }
  if (!Array.isArray(required) || !required.every((key) => typeof key === "string")) {
    return "has a schema whose required is not a list of names";
  }
  const { length } = JSON.stringify(schema);
  if (length <= schemaCharacters) return null;
  return `has a schema of ${length} characters, more than ${schemaCharacters}`;
}

function show(text: string | undefined): string {
  return JSON.stringify(plainLine(text ?? "", 100));
}
