import { messageOf } from "../../engine/run-failed.ts";
import { isRecord } from "../../source/json.ts";
import { showValue } from "../option/field.ts";
import { fromSdkTool, isSdkTool, type UnreadTool } from "./sdk-tool.ts";

/** A tool, or the problem of the value in its place. */
export type ListedTool = UnreadTool | { problem: string };

/** Lists the tools that a program gives: a set of tools by name, or a list of tools and sets. */
export function listGivenTools(given: unknown): ListedTool[] {
  if (Array.isArray(given)) return given.flatMap((one: unknown) => listOne(one));
  if (isRecord(given) && !isTool(given)) return listOne(given);
  const expected = "expected a list of tools, or an object of tools by name";
  return [
    {
      problem: `${expected}; got ${isRecord(given) ? "an object with other values" : showValue(given)}`,
    },
  ];
}

function listOne(one: unknown): ListedTool[] {
  if (!isRecord(one)) {
    return [{ problem: `expected a tool or an object of tools, got ${showValue(one)}` }];
  }
  if (!isTool(one)) return Object.entries(one).map(([name, tool]) => nameTool(name, tool));
  if (!isSdkTool(one)) return [{ fields: one, needsApproval: false }];
  return [{ problem: "a tool of the AI SDK has no name: write `{ NAME: tool({ … }) }`" }];
}

/** Names a tool of a set by its key. */
function nameTool(key: string, tool: unknown): ListedTool {
  if (!isRecord(tool)) return { problem: `${key}: expected a tool, got ${showValue(tool)}` };
  if (!isSdkTool(tool)) {
    const { name } = tool;
    if (name === key) return { fields: tool, needsApproval: false };
    if (name === undefined) return { fields: { ...tool, name: key }, needsApproval: false };
    return {
      problem: `${key}: the tool under this key is named ${showValue(name)}; use one name`,
    };
  }
  try {
    return fromSdkTool(key, tool);
  } catch (error) {
    return { problem: `${key}: its \`description\` failed: ${messageOf(error)}` };
  }
}

/** Reports whether an object is one tool, rather than a set of tools. */
function isTool(value: Record<string, unknown>): boolean {
  const isPart = (part: unknown): boolean =>
    isRecord(part) && ["inputSchema", "input", "execute"].some((key) => key in part);
  const parts = Object.values(value);
  return parts.length > 0 && !parts.every(isPart);
}
