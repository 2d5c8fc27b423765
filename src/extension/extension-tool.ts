import type { Clock } from "../clock.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";
import { isRecord, type JsonObject } from "../source/json.ts";
import type { Tool } from "../tool/tool.ts";
import { matchesWildcard } from "../tool/wildcard.ts";
import { callServerTool } from "./call-server-tool.ts";
import type { ExtensionServer } from "./extension-server.ts";
import type { RemoteTool } from "./list-tools.ts";
import { plainLine } from "./plain-text.ts";

const defaultTimeoutSeconds = 300;
/** What a call may take beyond its time limit: telling the server, and seeing it end. */
const endingMs = 10_000;

/**
 * A tool of a server as a tool of a run. Whatever a server says of it, it counts as a command that can do anything, unless
 * the configuration says that it only reads. What permission rules see of a call are its arguments as JSON.
 */
export function createExtensionTool(
  server: ExtensionServer,
  remote: RemoteTool,
  { name, config, clock }: { name: string; config: ExtensionConfig; clock: Clock },
): Tool {
  const timeoutMs = (config.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
  const isReadOnly = (config.readOnly ?? []).some((pattern) =>
    matchesWildcard(pattern, remote.name),
  );
  return {
    name,
    description: remote.description || `${remote.name}, of the MCP server ${config.name}.`,
    inputSchema: remote.inputSchema,
    access: isReadOnly ? "read" : "execute",
    prepare(given) {
      const input = given ?? {};
      if (!isRecord(input)) {
        const got = plainLine(JSON.stringify(input) ?? typeof input, 100);
        return { problem: `The arguments of ${name} must be a JSON object, got ${got}.` };
      }
      const subject = JSON.stringify(sortKeys(input));
      return {
        title: `${plainLine(config.name, 60)}: ${plainLine(`${remote.name} ${subject}`, 120)}`,
        subject,
        paths: null,
        quietMs: timeoutMs + endingMs,
        execute: (context) =>
          callServerTool(
            { server, remote, tool: name, input: input as JsonObject, timeoutMs, clock },
            context,
          ),
      };
    },
  };
}

/** The order in which a model writes arguments says nothing, and a rule must not depend on it. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
