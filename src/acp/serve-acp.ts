// The ACP agent: conversations of Cadre in editors, over the Agent Client Protocol.

import { agentProtocolRouter, ndJsonStream } from "@agentclientprotocol/sdk/experimental/v2";
import { Readable, Writable } from "node:stream";
import type { Editor } from "./editor/editor.ts";
import { createSessions, type Sessions } from "./session/sessions.ts";
import { createV1Agent } from "./v1/serve-v1.ts";
import { createV2Agent } from "./v2/serve-v2.ts";
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

/**
 * Serves one editor over a pair of streams until it disconnects or `signal` aborts, in the protocol version that the editor requests.
 * Active turns are left for a resume.
 */
export async function serveAcp(given: AcpOptions): Promise<void> {
  const { options, version, input, output, log, signal } = given;
  let sessions: Sessions | undefined;
  const serve = (editor: Editor): Sessions => (sessions = createSessions({ editor, options, log }));
  const stream = ndJsonStream(
    Writable.toWeb(output) as WritableStream<Uint8Array>,
    Readable.toWeb(input) as ReadableStream<Uint8Array>,
  );
  signal.addEventListener("abort", () => input.destroy(), { once: true });
  await agentProtocolRouter()
    .withV1(createV1Agent({ version, serve }))
    .withV2(createV2Agent({ version, serve }))
    .connect(stream).closed;
  await sessions?.end();
}
