import type { Clock } from "../../clock.ts";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { sortedJson } from "../../source/sorted-json.ts";
import type { Tool } from "../../tool/tool.ts";
import { matchesWildcard } from "../../tool/path/wildcard.ts";
import { callServerTool } from "./call-server-tool.ts";
import type { ExtensionServer } from "../server/extension-server.ts";
import type { RemoteTool } from "../server/list-tools.ts";
import { plainLine } from "../plain-text.ts";

const defaultTimeoutSeconds = 300;
/** The time that a call may take beyond its time limit for its cancellation at the server, in milliseconds. */
const endingMs = 10_000;

/**
 * Creates a run's tool for a tool of a server. Unless the configuration lists it as read-only, it has the access of a
 * command, whatever the server claims. Permission rules match its arguments as JSON.
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
      const subject = sortedJson(input);
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
