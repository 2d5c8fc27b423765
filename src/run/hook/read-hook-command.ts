import { omitUndefined } from "../../omit-undefined.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { describeRange, describeValue, toNumber } from "../../source/read-value.ts";
import type { HookCommand } from "./hook-commands.ts";
import { type HookEntry, reportNoEffect, reportUnusable } from "./hook-findings.ts";

/** The range of a timeout, in seconds. Node's timers cannot wait much longer. */
const timeoutRange = { min: 0.001, max: 86_400 };

/** Keys of Claude Code that Cadre reads or reports with a specific message. */
const knownKeys: ReadonlySet<string> = new Set(
  "type command args timeout shell if async asyncRewake statusMessage once".split(" "),
);

/** Reads one hook. Reports a hook that Cadre cannot execute, and returns `undefined` for it. */
export function readHookCommand(value: JsonValue, entry: HookEntry): HookCommand | undefined {
  if (!isRecord(value)) {
    const problem = `Expected a hook such as \`{ type: command, command: ./check.sh }\`, got ${describeValue(value)}`;
    reportUnusable(entry, { problem, fix: "Write it as a map." });
    return undefined;
  }
  const written = value;
  const problem = findProblem(written);
  if (problem !== undefined) {
    reportUnusable(entry, problem);
    return undefined;
  }
  reportIgnored(written, entry);
  const { command, args, shell, timeout } = written;
  return {
    command: command as string,
    ...omitUndefined({
      args: args === undefined ? undefined : (args as string[]),
      shell: shell === "bash" && args === undefined ? shell : undefined,
      timeoutSeconds: timeout === undefined ? undefined : toNumber(timeout, timeoutRange),
    }),
  };
}

/** Finds why a hook cannot be executed. */
function findProblem(
  written: JsonObject,
): { keys: [string]; problem: string; fix: string } | undefined {
  const { type = "command", command, args, shell, timeout } = written;
  if (type !== "command") {
    const problem = `Expected \`type: command\`, got ${describeValue(type)}; Cadre only calls commands`;
    return { keys: ["type"], problem, fix: "Write a command that decides the same." };
  }
  if (typeof command !== "string" || command.trim() === "" || command.includes("\0")) {
    const problem = `Expected \`command\` to be a command, got ${describeValue(command)}`;
    return { keys: ["command"], problem, fix: "Write `command: ./check.sh`" };
  }
  const isList = Array.isArray(args) && args.every((one) => typeof one === "string");
  if (args !== undefined && !isList) {
    const problem = `Expected \`args\` to be a list of texts, got ${describeValue(args)}`;
    return { keys: ["args"], problem, fix: "Write `args: [one, two]`" };
  }
  if (args === undefined && shell !== undefined && shell !== "bash") {
    const problem = `Expected \`shell: bash\`, got ${describeValue(shell)}`;
    return { keys: ["shell"], problem, fix: "Remove `shell`." };
  }
  if (timeout !== undefined && toNumber(timeout, timeoutRange) === undefined) {
    const problem = `Expected \`timeout\` to be ${describeRange(timeoutRange)} (seconds), got ${describeValue(timeout)}`;
    return { keys: ["timeout"], problem, fix: "Write `timeout: 10`" };
  }
  if (written["if"] === undefined) return undefined;
  const problem = "`if` limits this hook to some calls, which Cadre does not evaluate";
  const fix = "Use `matcher`, and let the command read `tool_input`.";
  return { keys: ["if"], problem, fix };
}

function reportIgnored(written: JsonObject, entry: HookEntry): void {
  const isBackground = written["async"] === true || written["asyncRewake"] === true;
  if (isBackground) {
    const key = written["async"] === true ? "async" : "asyncRewake";
    const message = `\`${key}\` has no effect: the run waits for this hook and follows its decision.`;
    reportNoEffect(entry, key, { severity: "warning", message });
  }
  for (const key of Object.keys(written).filter((one) => !knownKeys.has(one))) {
    reportNoEffect(entry, key, {
      severity: "warning",
      message: `\`${key}\` is not a field of a hook; it has no effect.`,
    });
  }
}
