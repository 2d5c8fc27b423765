import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { IncomingMessage } from "node:http";
import type {
  AipCommand,
  AipCommandResult,
  AipWebAnswer,
  AipWebRequest,
} from "../../aip/location/aip-port.ts";
import { guardedRequest, parseWebAddress } from "../../tool/web/guarded-request.ts";
import { readResponseText } from "../../tool/web/response-text.ts";
import { describeUndone } from "../../tool/control-file/undo-changes.ts";
import type { Shell, ShellContext } from "../../tool/builtin/shell.ts";

/** How long a command may take, in milliseconds; a run's own timeout may be shorter. */
export const commandMs: number = 600_000;
/** How long a request may take, redirections included, in milliseconds. */
const requestMs = 60_000;
const maxOutputBytes = 16 * 1024 * 1024;

const redirections: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Matches the shell's message for a command that it cannot start. */
const noStart = /(?:^|\n)\S*sh: (?:line )?1: exec: .+: ([^:\n]+)\n?$/;

/**
 * Executes a command of a script in the shell, with separate stdout and stderr.
 *
 * @throws Error for a command that cannot start or takes too long.
 */
export async function executeCommand(
  shell: Shell,
  { command, args, cwd }: AipCommand,
  context: ShellContext,
): Promise<AipCommandResult> {
  const errors = `errors-${randomBytes(8).toString("hex")}`;
  const words = [command, ...args].map(alwaysQuote).join(" ");
  const line = `cd ${alwaysQuote(cwd)} && exec ${words} 2>"$TMPDIR/${errors}"`;
  const end = await shell.run({ command: line, timeoutMs: commandMs }, context);
  const path = join(context.outputFolder, "tmp", errors);
  const errorOutput = await readOutput(path);
  const stderr =
    end.undone.length === 0 ? errorOutput : `${errorOutput}\n${describeUndone(end.undone)}`;
  await rm(path, { force: true });
  if (end.endedBy === "timeout") {
    throw new Error(`${command} did not end within ${commandMs / 1000} seconds, and was ended`);
  }
  const reason = noStart.exec(errorOutput)?.[1];
  if (reason !== undefined && (end.exitCode === 126 || end.exitCode === 127))
    throw new Error(`Fail to execute: ${command}: ${reason}`);
  const stdout = end.file === null ? end.text : await readOutput(end.file);
  // A command ended by a signal has no exit code; shells use 128.
  return { stdout, stderr, exit: end.exitCode ?? 128 };
}

/** Sends a request to the public Internet. Returns a redirection to another host instead of following it. */
export async function requestWeb(
  request: AipWebRequest,
  signal: AbortSignal,
): Promise<AipWebAnswer> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(requestMs)]);
  const { headers, body } = request;
  let { method } = request;
  let url = parseWebAddress(request.url);
  for (let left = request.redirects; ; left -= 1) {
    const sent = { method, headers, ...(body !== undefined && method === "POST" && { body }) };
    const response = await guardedRequest(url, sent, {}, limited);
    const status = response.statusCode ?? 0;
    const next = left > 0 ? nextOf(response, url) : undefined;
    if (next === undefined) {
      const { text } = await readResponseText(response);
      return { status, url: url.href, headers: flatten(response.headers), content: text };
    }
    response.destroy();
    if (status !== 307 && status !== 308) method = "GET";
    url = next;
  }
}

function nextOf(response: IncomingMessage, url: URL): URL | undefined {
  const { location } = response.headers;
  if (!redirections.has(response.statusCode ?? 0) || location === undefined) return undefined;
  const next = parseWebAddress(location, url);
  return next.hostname === url.hostname ? next : undefined;
}

function flatten(headers: IncomingMessage["headers"]): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value] as const],
  );
  return Object.fromEntries(entries);
}

async function readOutput(path: string): Promise<string> {
  const content = await readFile(path).catch(() => Buffer.alloc(0));
  return content.subarray(0, maxOutputBytes).toString("utf8");
}

function alwaysQuote(word: string): string {
  return `'${word.replaceAll("\0", "").replaceAll("'", `'\\''`)}'`;
}
