import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import type { ConnectionResources } from "./connection.ts";

/** The generation of the protocol; `auto` negotiates it with the server. */
export type Generation = NonNullable<NonNullable<ClientOptions["versionNegotiation"]>["mode"]>;

/** Creates a client with the workspace as its only root. It supports elicitation but not sampling. */
export function createServerClient(resources: ConnectionResources, generation: Generation): Client {
  const { workspace, onElicit, onToolsChanged } = resources;
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
    // The client declares support for forms only.
    "requestedSchema" in params ? await onElicit(params, mcpReq.signal) : { action: "decline" },
  );
  return client;
}
