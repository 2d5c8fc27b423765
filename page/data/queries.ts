// What the views read from the API.

import {
  type UseQueryResult,
  type UseInfiniteQueryResult,
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { api } from "./api.ts";
import type {
  Conversation,
  Question,
  RunEvent,
  RunStatus,
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
  status: readonly RunStatus[],
): UseInfiniteQueryResult<InfiniteData<RunPage>> {
  return useInfiniteQuery({
    queryKey: ["runs", status],
    queryFn: async ({ pageParam }) =>
      await api.listRuns({ status, limit: 100, ...(pageParam !== "" && { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

/** The conversations whose title, tasks or answers contain a text. Nothing is read for the empty text. */
export function useSearch(text: string): UseQueryResult<Conversation[]> {
  return useQuery({
    queryKey: ["search", text],
    queryFn: async () => (await api.listConversations({ text, limit: 100 })).conversations,
    enabled: text !== "",
    placeholderData: keepPreviousData,
  });
}

/** The family of a run, in order of creation. */
export function useFamily(id: string): UseQueryResult<ServedRun[]> {
  return useQuery({
    queryKey: ["family", id],
    queryFn: async () => (await api.readFamily(id)).runs,
    // Comparing thousands of runs takes longer than drawing the few that are seen.
    structuralSharing: false,
    placeholderData: keepPreviousData,
  });
}

/** The journal of a run so far: all its events, in parts. */
export function useJournal(id: string): UseQueryResult<RunEvent[]> {
  return useQuery({
    queryKey: ["journal", id],
    queryFn: async () => await readJournal(id),
    structuralSharing: false,
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

/** The questions that wait, the oldest first. */
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

/** The use of the last 30 days, by agent or model. */
export function useUsage(group: "agent" | "model"): UseQueryResult<UsagePeriod[]> {
  return useQuery({
    queryKey: ["usage", group],
    queryFn: async () => (await api.readUsage({ group })).periods,
    placeholderData: keepPreviousData,
  });
}
