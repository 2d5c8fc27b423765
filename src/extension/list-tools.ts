import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { ExtensionConfig } from "../run/extension-config.ts";
import { isRecord, type JsonObject } from "../source/json.ts";
import { matchesWildcard } from "../tool/wildcard.ts";
import { plainLine, plainText } from "./plain-text.ts";

/** A tool as a server offers it, checked. */
export interface RemoteTool {
  /** The server's own name of it. */
  name: string;
  description: string;
  inputSchema: JsonObject;
}

/** What a server offers, and what was left out of it and why. */
export interface ToolList {
  tools: readonly RemoteTool[];
  warnings: readonly string[];
}

const mostPages = 64;
const mostTools = 1000;
const descriptionCharacters = 8000;
const schemaCharacters = 64 * 1024;
const listMs = 60_000;
/** The tools that a message lists. */
const mostNamed = 50;

/** A page whose tools are not looked at yet: one that is wrong must not hide the others. */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/**
 * Asks a server for all its tools and keeps those that a model can be given.
 *
 * @throws when the server does not answer, or pages without end.
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
        `The ${title} offers two tools named ${show(tool.name)}; the first one counts.`,
      );
    } else tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], warnings };
}

/** Those of a server's tools that a configuration wants. A pattern that is about none of them is a warning. */
export function selectWanted(list: ToolList, config: ExtensionConfig): ToolList {
  const { allow, deny = [], readOnly = [] } = config;
  const names = list.tools.map(({ name }) => name);
  const patterns = [...(allow ?? []), ...readOnly];
  const idle = patterns.filter((pattern) => !names.some((name) => matchesWildcard(pattern, name)));
  const offered = names.slice(0, mostNamed).map(show).join(", ") || "none";
  const warnings = idle.map(
    (pattern) =>
      `The configuration of the MCP server ${config.name} names ${show(pattern)}, but none of its tools is called so. It offers: ${offered}.`,
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
  for (let count = 0; count < mostPages; count += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, page, {
      timeout: listMs,
    });
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (tools.length > mostTools) {
      throw new RangeError(`it offers more than ${mostTools} tools`);
    }
    if (cursor === undefined) return tools;
  }
  throw new RangeError(`its list has more than ${mostPages} pages`);
}

/** The tool, or what is wrong with it. */
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

/** A provider refuses a whole request for one schema like these. */
function schemaProblem(schema: unknown): string | null {
  if (!isRecord(schema)) return "has no schema of its arguments";
  if (schema["type"] !== "object") return "has a schema that is not of the type object";
  const { properties = {}, required = [] } = schema;
  const isSchema = (value: unknown): boolean => isRecord(value) || typeof value === "boolean";
  if (!isRecord(properties) || !Object.values(properties).every(isSchema)) {
    return "has a schema whose properties are no schemas";
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
