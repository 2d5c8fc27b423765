import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { readAipOptions } from "../document/aip-options.ts";
import type { AipReport, AipWebRequest } from "../location/aip-port.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import { pathKind } from "../location/resolve-aip.ts";
import { type HostCall, type HostContext, maybeText, stringArgument } from "./host-call.ts";
import { readablePath, resolveScriptPath } from "./resolve-path.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The calls for clocks, random numbers, commands, the web, other agents, and reports to the user. */
export const outsideCalls: Readonly<Record<string, HostCall>> = {
  "time.now": { isRecorded: true, run: async () => Date.now() },
  random: { isRecorded: true, run: async () => randomBytes(16).toString("hex") },
  "cmd.exec": {
    isRecorded: true,
    act: async (args) => ({ kind: "command", subject: commandLine(args) }),
    run: executeCommand,
  },
  "web.request": {
    isRecorded: true,
    act: async (args) => ({ kind: "web", subject: webRequest(args).url }),
    run: requestWeb,
  },
  "agent.run": { isRecorded: false, run: runAgent },
  report: {
    isRecorded: false,
    run: async ([report], { port, input }) => {
      port.report({
        ...(report as AipReport & JsonObject),
        ...omitUndefined({ input }),
      });
      return null;
    },
  },
};

function commandLine(args: readonly LuaValue[]): string {
  return [stringArgument(args, 0), ...(args[1] as string[])].join(" ");
}

async function executeCommand(
  args: readonly LuaValue[],
  context: HostContext,
): Promise<JsonObject> {
  const { port, signal } = context;
  const cwd = await readablePath(maybeText(args, 2) ?? ".", context);
  if ((await pathKind(cwd)) !== "folder")
    throw new Error(`Fail to execute: ${cwd} is not a folder`);
  const command = { command: stringArgument(args, 0), args: args[1] as string[], cwd };
  const { stdout, stderr, exit } = await port.execute(command, signal);
  return { stdout, stderr, exit };
}

function webRequest(args: readonly LuaValue[]): AipWebRequest {
  const given = args[0] as JsonObject;
  const headers = isRecord(given["headers"]) ? given["headers"] : {};
  return {
    method: given["method"] === "POST" ? "POST" : "GET",
    url: given["url"] as string,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), headerValue(value)]),
    ),
    body: typeof given["body"] === "string" ? given["body"] : undefined,
    redirects: given["redirects"] as number,
  };
}

function headerValue(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(headerValue).join(", ");
  return typeof value === "object" ? "" : String(value);
}

async function requestWeb(args: readonly LuaValue[], context: HostContext): Promise<JsonValue> {
  const { status, url, headers, content } = await context.port.request(
    webRequest(args),
    context.signal,
  );
  const success = status >= 200 && status < 300;
  const type = headers["content-type"];
  return {
    success,
    status,
    url,
    content,
    headers: { ...headers },
    ...omitUndefined({ content_type: type }),
    ...(!success && { error: `HTTP ${status}` }),
  };
}

async function runAgent(args: readonly LuaValue[], context: HostContext): Promise<JsonValue> {
  const { port, location, key } = context;
  const call = args[1] as JsonObject;
  const folder = call["folder"];
  const { options, problems } = readAipOptions(call["options"]);
  const [problem] = problems;
  if (problem !== undefined)
    throw new Error(`aip.agent.run: the option ${problem.key} is invalid: ${problem.message}`);
  const from =
    typeof folder === "string" ? await resolveScriptPath(folder, context) : dirname(location.path);
  const inputs = Array.isArray(call["inputs"]) ? call["inputs"] : undefined;
  const response = await port.runAgent(
    { reference: stringArgument(args, 0), from, inputs, options },
    key,
  );
  const { outputs, after_all: after, redo_requested = false } = response;
  // Packs test for nil, so an absent result has no field.
  return { outputs, redo_requested, ...(after !== null && { after_all: after }) };
}
