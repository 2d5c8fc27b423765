// Live updates from the server.

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

/** The events that change lists and trees. */
const changing = [
  "run-created",
  "run-started",
  "dependencies-settled",
  "step-started",
  "step-finished",
  "approval-requested",
  "approval-answered",
  "limits-raised",
  "attempt-failed",
  "run-finished",
];

/** The pause between two readings, in milliseconds: at least this, and twice as long as the last one took. */
const leastPauseMs = 200;

/** The state of the connection that reports changes. */
export type Connection = "connecting" | "live" | "broken";

/** Reads the shown data again whenever something has changed. Returns the state of the connection. */
export function useLive(): Connection {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection>("connecting");
  useEffect(() => {
    const refresh = createRefresh(async () => await client.invalidateQueries());
    const source = new EventSource("/api/v1/events");
    source.addEventListener("open", () => {
      setConnection("live");
      refresh.request();
    });
    source.addEventListener("error", () => setConnection("broken"));
    for (const type of changing) source.addEventListener(type, refresh.request);
    return () => {
      refresh.stop();
      source.close();
    };
  }, [client]);
  return connection;
}

/** Runs `work` after requests: never twice at once, once after the last request, and never without a pause. */
function createRefresh(work: () => Promise<void>): { request: () => void; stop: () => void } {
  let isRequested = false;
  let isAtWork = false;
  const stopping = new AbortController();

  async function run(): Promise<void> {
    isAtWork = true;
    while (isRequested && !stopping.signal.aborted) {
      isRequested = false;
      const begun = performance.now();
      await work();
      const pause = Math.max(leastPauseMs, 2 * (performance.now() - begun));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    isAtWork = false;
  }

  return {
    request() {
      isRequested = true;
      if (!isAtWork) void run();
    },
    stop: () => stopping.abort(),
  };
}
