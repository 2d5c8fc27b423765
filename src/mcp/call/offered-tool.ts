import type { ListToolsResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { DelegateTool, DelegateTools } from "../../host.ts";

/** A tool of this server. */
export type OfferedTool = Pick<
  DelegateTool<never>,
  "title" | "description" | "resultSchema" | "isReadOnly" | "call"
> & { inputSchema: z.ZodType };

/** The tools whose runs a client can take as tasks. */
export const taskTools: ReadonlySet<string> = new Set(["agent", "subagent"]);

/** The tools by name, in listed order. */
export function toolsByName(tools: DelegateTools): ReadonlyMap<string, OfferedTool> {
  return new Map<string, OfferedTool>(Object.entries(tools));
}

/** Describes the tools for clients. */
export function describeTools(tools: DelegateTools): ListToolsResult["tools"] {
  return [...toolsByName(tools)].map(([name, tool]) => describeTool(name, tool));
}

function describeTool(name: string, tool: OfferedTool): ListToolsResult["tools"][number] {
  const { title, description, inputSchema, resultSchema, isReadOnly } = tool;
  return {
    name,
    title,
    description,
    inputSchema: toSchema(inputSchema, "input"),
    outputSchema: toSchema(resultSchema, "output"),
    // The permissions of the agent decide about its actions.
    annotations: {
      title,
      readOnlyHint: isReadOnly,
      destructiveHint: !isReadOnly,
      openWorldHint: !isReadOnly,
    },
    ...(taskTools.has(name) && { execution: { taskSupport: "optional" as const } }),
  };
}

type ToolSchema = ListToolsResult["tools"][number]["inputSchema"];

function toSchema(schema: z.ZodType, io: "input" | "output"): ToolSchema {
  const { "~standard": _, ...json } = z.toJSONSchema(schema, { io });
  return json as ToolSchema;
}
