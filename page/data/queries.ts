/** Queries of the views. */

import {
  type UseQueryOptions,
  type UseQueryResult,
  type UseInfiniteQueryResult,
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect } from "react";
import type { RunSpec } from "../../src/run/run.ts";
import type { RunSteps } from "../../src/run/timeline/steps.ts";
import type { ApiProject, ContextWindow, SearchAnswer } from "../../src/client.ts";
import { api } from "./api.ts";
import { applyToFamily, followJournal, followSteps } from "./live/follow.ts";
import { readAndFollow } from "./live/received-events.ts";
import type {
  Recipe,
  Question,
  RunEvent,
  RunStatus,
  ServedAgent,
  ServedRun,
  RunArtifact,
  Schedule,
  Trigger,
  UsagePeriod,
  Webhook,
} from "./types.ts";

/** A page of the list of runs. */
export interface RunPage {
  runs: ServedRun[];
  next: string | null;
}

/** The runs without a parent, newest first: all of them, or those with some statuses and one agent. */
export function useRuns(
  status: readonly RunStatus[],
  agent = "",
): UseInfiniteQueryResult<InfiniteData<RunPage>> {
  return useInfiniteQuery({
    queryKey: ["runs", status, agent],
    queryFn: async ({ pageParam }) =>
      await api.listRuns({
        status,
        limit: 100,
        ...(agent !== "" && { agent }),
        ...(pageParam !== "" && { cursor: pageParam }),
      }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ runs }) => runs.some(({ result }) => result === null)) === true
        ? leftEveryMs
        : false,
    placeholderData: keepPreviousData,
  });
}

/** The runs whose texts contain the words of `text`, the latest match first. Reads nothing for the empty text. */
export function useSearch(text: string): UseInfiniteQueryResult<InfiniteData<SearchAnswer>> {
  return useInfiniteQuery({
    queryKey: ["search", text],
    queryFn: async ({ pageParam }) =>
      await api.searchRuns({ text, limit: 50, ...(pageParam !== "" && { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    enabled: text !== "",
    // A later search finds texts that are not in the index yet.
    refetchInterval: ({ state: { data } }) =>
      data?.pages[0]?.isComplete === false ? searchAgainMs : false,
    placeholderData: keepPreviousData,
  });
}

/** The pause between two searches while the index is being built, in milliseconds. */
const searchAgainMs = 500;

/** The time until the page asks whether an active run's process is gone, in milliseconds. No event reports that. */
const leftEveryMs = 5000;

/** The family of a run, in order of creation. Events keep it up to date. */
export function useFamily(id: string): UseQueryResult<readonly ServedRun[]> {
  const client = useQueryClient();
  const family = useQuery({
    queryKey: ["family", id],
    queryFn: async () =>
      await readAndFollow<readonly ServedRun[]>(
        async () => (await api.readFamily(id)).runs,
        applyToFamily,
      ),
    // Comparing thousands of runs takes longer than drawing the few visible ones.
    structuralSharing: false,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  const root = family.data?.[0];
  const { data } = useQuery({
    queryKey: ["left", root?.id],
    // A process that sends events is alive: while a family is active, its pages ask nothing.
    queryFn: async () => {
      const receivedAt = client.getQueryState(["family", id])?.dataUpdatedAt ?? 0;
      if (root !== undefined && Date.now() - receivedAt < leftEveryMs) return root.isLeft;
      return (await api.readRun(root?.id ?? id)).run.isLeft;
    },
    enabled: root !== undefined && root.result === null,
    refetchInterval: leftEveryMs,
  });
  const isOther = root?.result === null && data !== undefined && data !== root.isLeft;
  useEffect(() => {
    if (isOther) void client.invalidateQueries({ queryKey: ["family", id] });
  }, [client, id, isOther]);
  return family;
}

/** Reads what a run did and when. Events keep it up to date. */
export function stepsQuery(id: string): UseQueryOptions<RunSteps> {
  return {
    queryKey: ["steps", id],
    queryFn: async () =>
      await readAndFollow(
        async () => await api.readSteps(id),
        (steps, events) => followSteps(steps, events, id),
      ),
    structuralSharing: false,
    staleTime: Infinity,
  };
}

/** What a run did and when. */
export function useSteps(id: string): UseQueryResult<RunSteps> {
  return useQuery(stepsQuery(id));
}

/** The context window of a run's `model`. */
export function useContextWindow(
  id: string,
  model: string | null,
): UseQueryResult<ContextWindow | null> {
  return useQuery({
    queryKey: ["context", id, model],
    queryFn: async () => (await api.readBudget(id)).context,
    staleTime: Infinity,
  });
}

/** The complete journal of a run so far, read in parts. Events keep it up to date. */
export function useJournal(id: string): UseQueryResult<readonly RunEvent[]> {
  return useQuery({
    queryKey: ["journal", id],
    queryFn: async () =>
      await readAndFollow<readonly RunEvent[]>(
        async () => await readJournal(id),
        (journal, events) => followJournal(journal, events, id),
      ),
    structuralSharing: false,
    staleTime: Infinity,
  });
}

async function readJournal(id: string): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  const limit = 1000;
  for (;;) {
    const { events } = await api.listRunEvents(id, { after: all.at(-1)?.seq ?? 0, limit });
    all.push(...events);
    if (events.length < limit) return all;
  }
}

/** The settings of a run at its creation. They never change. */
export function useSpec(id: string): UseQueryResult<RunSpec | null> {
  return useQuery({
    queryKey: ["spec", id],
    queryFn: async () => {
      const { events } = await api.listRunEvents(id, { limit: 1 });
      return events[0]?.type === "run-created" ? events[0].spec : null;
    },
    staleTime: Infinity,
  });
}

/** The images and long outputs of a run up to an event. */
export function useArtifacts(id: string, lastSeq: number): UseQueryResult<RunArtifact[]> {
  return useQuery({
    queryKey: ["artifacts", id, lastSeq],
    queryFn: async () => (await api.listArtifacts(id)).artifacts,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

/** The configured triggers, schedules and webhooks. */
export function useAutomation(): UseQueryResult<AutomationSettings> {
  return useQuery({
    queryKey: ["automation"],
    queryFn: async () => {
      const [triggers, schedules, webhooks] = await Promise.all([
        api.listTriggers(),
        api.listSchedules(),
        api.listWebhooks(),
      ]);
      return { ...triggers, ...schedules, ...webhooks };
    },
    refetchInterval: 30_000,
  });
}

/** The configured starts of runs and receivers of events. */
export interface AutomationSettings {
  triggers: Trigger[];
  schedules: Schedule[];
  webhooks: Webhook[];
}

/** The recipes of the project and the user. */
export function useRecipes(): UseQueryResult<Recipe[]> {
  return useQuery({
    queryKey: ["recipes"],
    queryFn: async () => (await api.listRecipes()).recipes.map(({ recipe }) => recipe),
    staleTime: 60_000,
  });
}

/** The graph files of the project. */
export function useGraphs(): UseQueryResult<string[]> {
  return useQuery({
    queryKey: ["graphs"],
    queryFn: async () => (await api.listGraphs()).graphs.map(({ file }) => file),
    staleTime: 60_000,
  });
}

/** The projects of the server. */
export function useProjects(): UseQueryResult<ApiProject[]> {
  return useQuery({
    queryKey: ["projects"],
    queryFn: async () => (await api.listProjects()).projects,
    staleTime: Infinity,
  });
}

/** The open questions, oldest first. */
export function useQuestions(): UseQueryResult<Question[]> {
  return useQuery({
    queryKey: ["questions"],
    queryFn: async () => (await api.listQuestions()).questions,
  });
}

/** Every agent of the project. */
export function useAgents(): UseQueryResult<ServedAgent[]> {
  return useQuery({
    queryKey: ["agents"],
    queryFn: async () => (await api.listAgents()).agents,
    staleTime: 60_000,
  });
}

/** The usage of the last 30 days, by agent or model. */
export function useUsage(group: "agent" | "model"): UseQueryResult<UsagePeriod[]> {
  return useQuery({
    queryKey: ["usage", group],
    queryFn: async () => (await api.readUsage({ group })).periods,
    // The server sums all runs of a month.
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });
}
