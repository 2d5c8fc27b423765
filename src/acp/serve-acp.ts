// The ACP agent: conversations of Cadre in editors.

import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { Readable, Writable } from "node:stream";
import { findAbilities, type ClientAbilities } from "./client-abilities.ts";
import { forkMethod, parseFork } from "./fork-session.ts";
import { orProtocolError } from "./protocol-error.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import type { CadreOptions } from "../host.ts";

/** Options of {@link serveAcp}. */
export interface AcpOptions {
  options: CadreOptions;
  version: string;
  input: Readable;
  /** A stream that carries only the protocol. */
  output: Writable;
  log: (line: string) => void;
  /** Ends the connection. */
  signal: AbortSignal;
}

/** Serves one editor over a pair of streams until it disconnects or `signal` aborts. Active turns are left for a resume. */
export async function serveAcp(given: AcpOptions): Promise<void> {
  const { options, version, input, output, log, signal } = given;
  let abilities: ClientAbilities = findAbilities(undefined);
  let sessions: Sessions | undefined;
  const requireSessions = (): Sessions => {
    if (sessions === undefined) throw new Error("The connection is not open yet.");
    return sessions;
  };
  const { initialize, session } = methods.agent;
  const app = agent({ name: "cadre" })
    .onRequest(initialize, ({ params }) => {
      abilities = findAbilities(params.clientCapabilities);
      return describeAgent(version, params.protocolVersion);
    })
    .onRequest(session.new, ({ params }) => orProtocolError(requireSessions().create(params)))
    .onRequest(session.load, ({ params }) => orProtocolError(requireSessions().load(params, true)))
    .onRequest(session.resume, ({ params }) =>
      orProtocolError(
        requireSessions().load({ ...params, mcpServers: params.mcpServers ?? [] }, false),
      ),
    )
    .onRequest(forkMethod, parseFork, ({ params }) =>
      orProtocolError(requireSessions().fork(params)),
    )
    .onRequest(session.list, ({ params }) => orProtocolError(requireSessions().list(params)))
    .onRequest(session.close, ({ params }) => orProtocolError(requireSessions().close(params)))
    .onRequest(session.delete, ({ params }) => orProtocolError(requireSessions().remove(params)))
    .onRequest(session.setMode, ({ params }) => orProtocolError(requireSessions().setMode(params)))
    .onRequest(session.setConfigOption, ({ params }) =>
      orProtocolError(requireSessions().setOption(params)),
    )
    .onRequest(session.prompt, ({ params }) => orProtocolError(requireSessions().prompt(params)))
    .onNotification(session.cancel, ({ params }) => requireSessions().cancel(params));
  const stream = ndJsonStream(
    Writable.toWeb(output) as WritableStream<Uint8Array>,
    Readable.toWeb(input) as ReadableStream<Uint8Array>,
  );
  const connection = app.connect(stream);
  sessions = createSessions({
    client: connection.client,
    options,
    log,
    abilities: () => abilities,
  });
  signal.addEventListener("abort", () => connection.close(), { once: true });
  await connection.closed;
  await sessions.end();
}

function describeAgent(version: string, wanted: number) {
  return {
    protocolVersion: Math.min(wanted, PROTOCOL_VERSION),
    agentInfo: { name: "cadre", title: "Cadre", version },
    authMethods: [],
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, fork: {} },
    },
  };
}
