import { ProtocolError, type Progress } from "@modelcontextprotocol/client";
import type { Clock } from "../../clock.ts";
import type { JsonObject } from "../../source/json.ts";
import type { ToolContext, ToolOutcome } from "../../tool/tool.ts";
import { type Connection, noTimeoutMs } from "../transport/connection.ts";
import { createDeadline } from "../elicitation/deadline.ts";
import type { ExtensionServer } from "../server/extension-server.ts";
import { describeHttpProblem, isSessionLost } from "../transport/http-problem.ts";
import { lostAnswerCode } from "../transport/http-transport.ts";
import type { RemoteTool } from "../server/list-tools.ts";
import { traceHeaders } from "../../trace-context.ts";
import { orAbort } from "../../source/or-abort.ts";
import { plainLine } from "../plain-text.ts";
import { readResult } from "./read-result.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { errorMessage } from "../../error-message.ts";

/** A call of a server's tool. */
export interface ServerCall {
  server: ExtensionServer;
  remote: RemoteTool;
  /** The name of the tool as the model knows it. */
  tool: string;
  input: JsonObject;
  timeoutMs: number;
  clock: Clock;
}

/** The minimum time between two progress reports, in milliseconds. */
const reportEveryMs = 1000;

/**
 * Calls a tool of a server. Every failure of the server becomes an outcome. A call is never repeated.
 *
 * @throws the reason of the context's signal when it aborts. The call is then cancelled at the server.
 */
export async function callServerTool(call: ServerCall, context: ToolContext): Promise<ToolOutcome> {
  const { server } = call;
  let connection: Connection;
  try {
    connection = await orAbort(server.connection(), context.signal);
  } catch (error) {
    context.signal.throwIfAborted();
    return failed(`${errorMessage(error)} The tool was not called.`);
  }
  const deadline = createDeadline(call.clock, call.timeoutMs);
  const active = { tool: call.tool, context, deadline };
  server.calls.add(active);
  try {
    const signal = AbortSignal.any([context.signal, deadline.signal]);
    const outcome = await request(connection, call, signal, createProgressReport(context));
    server.noteAnswer();
    return outcome;
  } catch (error) {
    context.signal.throwIfAborted();
    if (deadline.signal.aborted) return timedOut(call);
    return failed(server.redact(await explain(error, connection, call)));
  } finally {
    deadline.stop();
    server.calls.delete(active);
  }
}

async function request(
  { client }: Connection,
  { remote, input }: ServerCall,
  signal: AbortSignal,
  onprogress: (progress: Progress) => void,
): Promise<ToolOutcome> {
  const { name, inputSchema } = remote;
  const trace = traceHeaders();
  const result = await client.callTool(
    { name, arguments: input, ...omitUndefined({ _meta: trace }) },
    {
      signal,
      onprogress,
      timeout: noTimeoutMs,
      // The output schema is not passed: an answer is accepted even if it does not match the schema that the server declares.
      toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
    },
  );
  return readResult(result);
}

/** Describes the failure of a call without an answer. */
async function explain(
  error: unknown,
  connection: Connection,
  { server, remote }: ServerCall,
): Promise<string> {
  const name = JSON.stringify(plainLine(remote.name, 100));
  const unknown = "its effect is unknown: check before you repeat it";
  const end = connection.end();
  if (end !== null) {
    return `The ${server.title} died in the middle of ${name}: ${end.trim()}. The call was not repeated, and ${unknown}. The next call starts the server again.`;
  }
  if (error instanceof ProtocolError && error.code !== lostAnswerCode) {
    // An error is an answer too.
    server.noteAnswer();
    return `The ${server.title} refused ${name}: ${plainLine(error.message, 2000)} (${error.code})`;
  }
  // The server did not receive the call.
  if (isSessionLost(error)) {
    await connection.discard("it had forgotten the session");
    return `The ${server.title} has lost the session, so ${name} was not called. The next call starts a new session.`;
  }
  return `The ${server.title} did not answer ${name}: ${describeHttpProblem(error)}. The call was not repeated, and ${unknown}.`;
}

function timedOut({ server, remote, timeoutMs }: ServerCall): ToolOutcome {
  const name = JSON.stringify(plainLine(remote.name, 100));
  const seconds = timeoutMs / 1000;
  return failed(
    `The ${server.title} did not answer ${name} within ${seconds} s, its time limit. It was told to stop, but the effect is unknown: check before you repeat it.`,
  );
}

function failed(text: string): ToolOutcome {
  return { text, isError: true };
}

/** Creates a function that reports progress at most once a second. */
function createProgressReport(context: ToolContext): (progress: Progress) => void {
  let last = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    const now = performance.now();
    if (now - last < reportEveryMs) return;
    last = now;
    const share = total === undefined ? `${progress}` : `${progress}/${total}`;
    context.report(plainLine(`${share} ${message ?? ""}`, 200));
  };
}
