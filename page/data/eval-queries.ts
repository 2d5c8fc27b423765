/** Queries of the eval views. */

import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { EvalFile } from "../../src/client.ts";
import { api } from "./api.ts";
import type { EvalOverview, RecordedEval } from "./types.ts";

/** The evals of all processes, newest first. Reads active ones again. */
export function useEvals(): UseQueryResult<EvalOverview[]> {
  return useQuery({
    queryKey: ["evals"],
    queryFn: async () => (await api.listEvals({ limit: 200 })).evals,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ state }) => state === "running") === true ? evalEveryMs : false,
  });
}

/** An eval with its results so far. */
export function useEval(id: string): UseQueryResult<RecordedEval> {
  return useQuery({
    queryKey: ["eval", id],
    queryFn: async () => await api.readEval(id),
    refetchInterval: ({ state: { data } }) =>
      data?.eval.state === "running" ? evalEveryMs : false,
  });
}

/** The interval between two reads of an active eval, in milliseconds. No event reports a grade. */
const evalEveryMs = 1000;

/** The eval files of the project. */
export function useEvalFiles(): UseQueryResult<EvalFile[]> {
  return useQuery({
    queryKey: ["eval-files"],
    queryFn: async () => (await api.listEvalFiles()).files,
  });
}
