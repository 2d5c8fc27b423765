import type { Task } from "@modelcontextprotocol/server";
import type { Run } from "../index.ts";

/** How often a client should ask how a task stands, in milliseconds. */
const pollMs = 1000;

/** A run as a task of 2025-11-25; its id is the run's, and it is kept as long as the run. */
export function toTask(run: Run, isAsking = false): Task {
  const { id, createdAt, lastEventAt } = run;
  const status = taskStatus(run, isAsking);
  return {
    taskId: id,
    status: status === "completed" && run.status !== "succeeded" ? "failed" : status,
    statusMessage: statusMessage(run),
    createdAt: toTime(createdAt),
    lastUpdatedAt: toTime(lastEventAt),
    ttl: null,
    pollInterval: pollMs,
  };
}

/** A run as a task of the extension of 2026-07-28. */
export interface ExtensionTask {
  taskId: string;
  status: Task["status"];
  statusMessage: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number | null;
  pollIntervalMs: number;
}

/** The same for clients of 2026-07-28, to whom a run that failed is a call that is completed with an error. */
export function toExtensionTask(run: Run, isAsking = false): ExtensionTask {
  return {
    taskId: run.id,
    status: taskStatus(run, isAsking),
    statusMessage: statusMessage(run),
    createdAt: toTime(run.createdAt),
    lastUpdatedAt: toTime(run.lastEventAt),
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

function toTime(at: number): string {
  return new Date(at).toISOString();
}
