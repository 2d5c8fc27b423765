// Live data: events of the server, applied to the shown data.

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { RunSteps } from "../../../src/run/timeline/steps.ts";
import { applyToFamily, followJournal, followSteps } from "./follow.ts";
import { publish } from "./received-events.ts";
import { eventsAddress } from "../api.ts";
import type { Question, RunEvent, ServedRun } from "../types.ts";

/** Every type of event, and whether it changes lists. */
const types: Readonly<Record<RunEvent["type"], boolean>> = {
  "run-created": true,
  "run-started": true,
  "step-started": true,
  "step-finished": true,
  "approval-requested": true,
  "approval-answered": true,
  "request-started": false,
  "request-failed": true,
  "model-retried": true,
  "model-changed": true,
  "conversation-compacted": false,
  "warning-raised": false,
  "files-recorded": false,
  "dependencies-settled": true,
  "message-queued": false,
  "messages-delivered": false,
  "results-collected": false,
  "children-awaited": true,
  "board-changed": false,
  "attempt-failed": true,
  "result-reused": false,
  "cancel-requested": false,
  "limits-raised": true,
  "run-finished": true,
};

/** The queries that are read again after events. Families, steps and journals apply the events themselves. */
const lists: ReadonlySet<unknown> = new Set(["runs", "search"]);

/** The pause between two reads of lists, in milliseconds: at least this, and at least twice the duration of the last read. */
const minPauseMs = 200;

/** The minimum interval between two updates, in milliseconds. Events arrive faster than users can read. */
const applyEveryMs = 30;

/** The state of the connection that delivers changes. */
export type LiveConnection = "connecting" | "live" | "broken";

/** Keeps the shown data up to date. Returns the state of the connection. */
export function useLive(): LiveConnection {
  const client = useQueryClient();
  const [connection, setConnection] = useState<LiveConnection>("connecting");
  useEffect(() => {
    const refresh = createRefresh(async () => {
      await client.invalidateQueries({ predicate: ({ queryKey: [kind] }) => lists.has(kind) });
    });
    // Every page reads the questions, and most events concern none of them.
    const ask = createRefresh(async () => {
      await client.invalidateQueries({ queryKey: ["questions"] });
    });
    let waiting: RunEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const apply = (): void => {
      const events = waiting;
      [waiting, timer] = [[], undefined];
      publish(events);
      followAll(client, events);
      if (events.some(({ type }) => types[type])) refresh.request();
      if (changesQuestions(client, events)) ask.request();
    };
    const source = new EventSource(eventsAddress);
    source.addEventListener("open", () => {
      setConnection("live");
      // The stream does not deliver earlier events.
      void client.invalidateQueries();
    });
    source.addEventListener("error", () => setConnection("broken"));
    for (const type of Object.keys(types)) {
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        waiting.push(JSON.parse(data) as RunEvent);
        timer ??= setTimeout(apply, applyEveryMs);
      });
    }
    return () => {
      clearTimeout(timer);
      refresh.stop();
      ask.stop();
      source.close();
    };
  }, [client]);
  return connection;
}

/** Reports whether an event asks or answers a question, or ends a run that asked one. */
function changesQuestions(client: QueryClient, events: readonly RunEvent[]): boolean {
  const asking = client.getQueryData<readonly Question[]>(["questions"]) ?? [];
  return events.some(
    ({ type, runId }) =>
      type === "approval-requested" ||
      type === "approval-answered" ||
      (type === "run-finished" && asking.some((question) => question.runId === runId)),
  );
}

/** Applies events to all read families, timelines and journals. Reads data again that misses an event. */
function followAll(client: QueryClient, events: readonly RunEvent[]): void {
  const follow = <Data>(kind: string, step: (data: Data, id: string) => Data | undefined): void => {
    for (const { queryKey, state } of client.getQueryCache().findAll({ queryKey: [kind] })) {
      if (state.data === undefined) continue;
      const after = step(state.data as Data, String(queryKey[1]));
      if (after === undefined) void client.invalidateQueries({ queryKey });
      else if (after !== state.data) client.setQueryData(queryKey, after);
    }
  };
  follow<readonly ServedRun[]>("family", (runs) => applyToFamily(runs, events));
  follow<RunSteps>("steps", (steps, id) => followSteps(steps, events, id));
  follow<readonly RunEvent[]>("journal", (journal, id) => followJournal(journal, events, id));
}

/** Calls `work` after requests: never twice at once, once after the last request, and with a pause between calls. */
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
      const pause = Math.max(minPauseMs, 2 * (performance.now() - begun));
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
