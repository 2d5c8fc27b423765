import { type Command, InvalidArgumentError, Option } from "commander";
import type { DbosOptions, QueueRequest } from "../../host.ts";
import { parseDuration } from "../arguments/parse-duration.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { UsageError } from "../arguments/usage-error.ts";

/** Options of commands that can give their run to workers. */
export interface DetachOptions
  extends Pick<DbosOptions, "workspace" | "pushSecrets">, Pick<QueueRequest, "priority"> {
  detach?: boolean;
  needs?: string;
  /** A time in ISO 8601. */
  at?: string;
  /** Milliseconds. */
  after?: number;
  dedupe?: string;
}

/** Adds these options to a command. */
export function addDetachOptions(command: Command): Command {
  return command
    .option(
      "--detach",
      "let a worker execute the run, on any machine, and return its id at once; see `cadre worker`",
    )
    .option("--needs <label>", "with --detach: only workers with this label execute it")
    .option(
      "--priority <number>",
      "with --detach: workers take runs with a higher priority first, from -100 to 100 (default: 0)",
      parsePriority,
    )
    .option(
      "--at <time>",
      "with --detach: no worker takes it before this time, such as 2030-01-31T03:00:00Z",
    )
    .option(
      "--after <time>",
      "with --detach: no worker takes it before this time has passed, such as 10m",
      parseDuration,
    )
    .option(
      "--dedupe <key>",
      "with --detach: start no other run while one with this key has not ended",
    )
    .addOption(
      new Option(
        "--workspace <how>",
        "with --detach: workers have the folder at the same path, or get its files through git (default: same)",
      ).choices(["same", "git"]),
    )
    .option("--push-secrets", "with --workspace git: push files that seem to hold secrets too");
}

/** Parses a priority. The library checks the range too; this check is for text that is no number. */
function parsePriority(text: string): number {
  const value = Number(text);
  if (/^[+-]?\d+$/.test(text) && Math.abs(value) <= 100) return value;
  throw new InvalidArgumentError("Expected a whole number from -100 to 100.");
}

/** Returns the first given flag that applies only to runs of workers. */
export function findWorkerFlag(options: DetachOptions): string | undefined {
  const flags: [string, unknown][] = [
    ["--needs", options.needs],
    ["--workspace", options.workspace],
    ["--push-secrets", options.pushSecrets],
    ["--priority", options.priority],
    ["--at", options.at],
    ["--after", options.after],
    ["--dedupe", options.dedupe],
  ];
  return flags.find(([, value]) => value !== undefined)?.[0];
}

/** Returns how the run waits for a worker; `undefined` when no option says so. */
export function toQueue({ priority, at, after, dedupe }: DetachOptions): QueueRequest | undefined {
  if (at !== undefined && after !== undefined) {
    throw new UsageError("Expected --at or --after; got both.");
  }
  const queue = omitUndefined({
    priority,
    startAt: at === undefined ? undefined : readTime(at),
    startAfterSeconds: after === undefined ? undefined : after / 1000,
    dedupeKey: dedupe,
  });
  return Object.keys(queue).length === 0 ? undefined : queue;
}

/** Parses a time. A time without a time zone is local. */
function readTime(text: string): string {
  const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.test(text);
  const time = isTime ? new Date(text.replace(" ", "T")) : new Date(Number.NaN);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new UsageError(
    `Expected a time after --at such as 2030-01-31T03:00 (of this machine) or 2030-01-31T03:00:00Z; got ${text}.`,
  );
}

/** Returns which workers execute the run and how its files reach them. */
export function toDbosOptions({ needs, workspace, pushSecrets }: DetachOptions): DbosOptions {
  return omitUndefined({ label: needs, workspace, pushSecrets });
}
