import type { Server } from "@modelcontextprotocol/server";
import type { Announcer } from "./client.ts";

/** Notifies the clients of connected servers of changes. Only subscribers are notified of changed resources. */
export function announceTo(
  servers: ReadonlySet<Server>,
  subscriptions: ReadonlySet<string>,
  log: (line: string) => void,
): Announcer {
  const toAll = (send: (server: Server) => Promise<void>): void => {
    for (const server of servers) {
      if (server.transport === undefined) continue;
      send(server).catch((error: unknown) =>
        log(`Clients could not be notified of a change: ${String(error)}`),
      );
    }
  };
  return {
    toolsChanged: () => toAll((server) => server.sendToolListChanged()),
    notify: (notification) => toAll((server) => server.notification(notification)),
    resourcesChanged: () => toAll((server) => server.sendResourceListChanged()),
    resourceUpdated: (uri) =>
      toAll(async (server) => {
        // Clients of 2026-07-28 subscribe to the connection, which notifies them.
        const isModern = (server.getNegotiatedProtocolVersion() ?? "") >= "2026";
        if (isModern || subscriptions.has(uri)) await server.sendResourceUpdated({ uri });
      }),
  };
}
