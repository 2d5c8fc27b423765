import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import type { ConnectPlace } from "./connection.ts";

/** The generation of the protocol a server is greeted in; `auto` asks the server. */
export type Generation = NonNullable<NonNullable<ClientOptions["versionNegotiation"]>["mode"]>;

/** A client that shows the workspace as its only root, answers questions to the user, and lends no model. */
export function createClient(place: ConnectPlace, generation: Generation): Client {
  const { workspace, onElicit, onToolsChanged } = place;
  const client = new Client(
    { name: "cadre", version: "0.1.0" },
    {
      capabilities: { elicitation: { form: {} }, roots: {} },
      versionNegotiation: { mode: generation },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    },
  );
  client.setRequestHandler("roots/list", () => ({
    roots: [{ uri: pathToFileURL(workspace).href, name: basename(workspace) }],
  }));
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) =>
    // Only forms are offered, so nothing else comes.
    "requestedSchema" in params ? await onElicit(params, mcpReq.signal) : { action: "decline" },
  );
  return client;
}
