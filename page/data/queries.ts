// What the views read from the API.

import {
  type UseQueryResult,
  type UseInfiniteQueryResult,
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { call, runPath } from "./api.ts";
import type {
  FoundConversation,
  Question,
  RunEvent,
  ServedAgent,
  ServedRun,
  UsagePeriod,
} from "./types.ts";

/** A page of the list of runs. */
export interface RunPage {
  runs: ServedRun[];
  next: string | null;
}

/** The runs without a parent, newest first; of some statuses, or all. */
export function useRuns(
  statuses: readonly string[],
): UseInfiniteQueryResult<InfiniteData<RunPage>> {
  return useInfiniteQuery({
    queryKey: ["runs", statuses],
    queryFn: async ({ pageParam }) => {
      const query = new URLSearchParams({ limit: "100" });
      for (const status of statuses) query.append("status", status);
      if (pageParam !== "") query.set("cursor", pageParam);
      return await call<RunPage>(`/runs?${query}`);
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

/** The conversations whose title, tasks or answers contain a text. Nothing is read for the empty text. */
export function useSearch(text: string): UseQueryResult<FoundConversation[]> {
  return useQuery({
    queryKey: ["search", text],
    queryFn: async () => {
      const query = new URLSearchParams({ text, limit: "100" });
      return (await call<{ conversations: FoundConversation[] }>(`/conversations?${query}`))
        .conversations;
    },
    enabled: text !== "",
    placeholderData: keepPreviousData,
  });
}

/** The family of a run, in order of creation. */
export function useFamily(id: string): UseQueryResult<ServedRun[]> {
  return useQuery({
    queryKey: ["family", id],
    queryFn: async () => (await call<{ runs: ServedRun[] }>(runPath(id, "/family"))).runs,
    // Comparing thousands of runs takes longer than drawing the few that are seen.
    structuralSharing: false,
    placeholderData: keepPreviousData,
  });
}

/** The journal of a run: all its events, in parts. */
export function useJournal(id: string, isOpen: boolean): UseQueryResult<RunEvent[]> {
  return useQuery({
    queryKey: ["journal", id],
    queryFn: async () => await readJournal(id),
    enabled: isOpen,
    structuralSharing: false,
  });
}

async function readJournal(id: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const most = 1000;
  for (;;) {
    const after = events.at(-1)?.seq ?? 0;
    const path = runPath(id, `/events?after=${after}&limit=${most}`);
    const part = (await call<{ events: RunEvent[] }>(path)).events;
    events.push(...part);
    if (part.length < most) return events;
  }
}

/** The questions that wait, the oldest first. */
export function useQuestions(): UseQueryResult<Question[]> {
  return useQuery({
    queryKey: ["questions"],
    queryFn: async () => (await call<{ questions: Question[] }>("/questions")).questions,
  });
}

/** Every agent of the project. */
export function useAgents(): UseQueryResult<ServedAgent[]> {
  return useQuery({
    queryKey: ["agents"],
    queryFn: async () => (await call<{ agents: ServedAgent[] }>("/agents")).agents,
    staleTime: 60_000,
  });
}

/** The use of the last 30 days, by agent or model. */
export function useUsage(group: "agent" | "model"): UseQueryResult<UsagePeriod[]> {
  return useQuery({
    queryKey: ["usage", group],
    queryFn: async () => (await call<{ periods: UsagePeriod[] }>(`/usage?group=${group}`)).periods,
    placeholderData: keepPreviousData,
  });
}
