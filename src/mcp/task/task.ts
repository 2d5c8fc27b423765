// MCP tasks: a run as a task.

import type { Task } from "@modelcontextprotocol/server";
import type { Run } from "../../host.ts";

/** The recommended interval of a client's polls, in milliseconds. */
const pollMs = 1000;

/** Converts a run into a task of 2025-11-25 with the run's id. The task exists as long as the run. */
export function toTask(run: Run, isAsking = false): Task {
  const { id, createdAt, lastEventAt } = run;
  const status = taskStatus(run, isAsking);
  return {
    taskId: id,
    status: status === "completed" && run.status !== "succeeded" ? "failed" : status,
    statusMessage: statusMessage(run),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(lastEventAt).toISOString(),
    ttl: null,
    pollInterval: pollMs,
  };
}

/** Converts a run into a task of the extension of 2026-07-28. */
export interface ExtensionTask {
  taskId: string;
  status: Task["status"];
  statusMessage: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number | null;
  pollIntervalMs: number;
}

/** Returns the status for 2026-07-28, where a failed run is a completed call with an error. */
export function toExtensionTask(run: Run, isAsking = false): ExtensionTask {
  return {
    taskId: run.id,
    status: taskStatus(run, isAsking),
    statusMessage: statusMessage(run),
    createdAt: new Date(run.createdAt).toISOString(),
    lastUpdatedAt: new Date(run.lastEventAt).toISOString(),
    ttlMs: null,
    pollIntervalMs: pollMs,
  };
}

function taskStatus({ status }: Run, isAsking: boolean): Task["status"] {
  if (status === "cancelled") return "cancelled";
  if (status === "succeeded" || status === "failed" || status === "timed-out") return "completed";
  return isAsking ? "input_required" : "working";
}

function statusMessage({ label, agent, status, activity }: Run): string {
  return `${label ?? agent}: ${status}${activity === null ? "" : `, ${activity}`}`;
}
