import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import headless from "@xterm/headless";
import { atFileEnd } from "../at-file-end.ts";
import { node, type Project } from "./command-line.ts";
import { commandFile } from "./start-command.ts";
import { python } from "./python.ts";

/** A terminal that runs the command, as a user sees it. */
export interface LiveTerminal {
  /** Returns the lines on the screen without trailing spaces. */
  lines(): string[];
  /** Resolves when the screen shows `text`; with `gone`, when it does not. Rejects with the screen when the command ends first. */
  shows(text: string | RegExp, gone?: "gone"): Promise<void>;
  type(keys: string): void;
  resize(rows: number, columns: number): void;
  /** Kills the command. */
  kill(): void;
  /** Closes the terminal. */
  close(): void;
  /** Resolves with the exit code of the command. */
  ended: Promise<number | null>;
  /** Returns the number of the colour in which the first `text` on the screen is drawn; `undefined` for the default colour. */
  colorOf(text: string): number | undefined;
  /** The number of times that the terminal's bell rang. */
  bells(): number;
  /** The desktop notifications that the command requested with OSC 9. */
  notifications(): string[];
  /** The CPU time of the command so far, in milliseconds; on Linux. */
  cpuMs(): number;
}

/** Options of {@link openTerminal}. */
export interface TerminalSize {
  rows?: number;
  columns?: number;
}

type TerminalProcess = ChildProcessByStdio<Writable, Readable, null>;

/** Runs `cadre` on a terminal that interprets its output and answers its requests. */
export function openTerminal(
  project: Project,
  words: readonly string[],
  { rows = 30, columns = 90 }: TerminalSize = {},
): LiveTerminal {
  const driver = fileURLToPath(new URL("live-terminal.py", import.meta.url));
  const environment = { ...project.environment, TERM: "xterm-256color", LANG: "C.UTF-8" };
  const [program, ...options] = python;
  const command = [...options, driver, `${rows}`, `${columns}`, node, commandFile, ...words];
  const child = spawn(program, command, {
    cwd: project.path,
    env: environment,
    stdio: ["pipe", "pipe", "inherit", "pipe"],
  }) as TerminalProcess;
  // A failing test may leave it open.
  atFileEnd(() => child.kill());
  const terminal = new headless.Terminal({ rows, cols: columns, allowProposedApi: true });
  const changes = new Set<() => void>();
  let bells = 0;
  const notifications: string[] = [];
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => {
    child.on("close", (code) => {
      isOver = true;
      terminal.write("", () => {
        for (const change of changes) change();
        resolve(code);
      });
    });
  });
  child.stdin.on("error", () => undefined);
  child.stdout.on("data", (data: Buffer) => {
    terminal.write(data, () => changes.forEach((change) => change()));
  });
  terminal.onData((answer) => void child.stdin.write(answer));
  terminal.onBell(() => void (bells += 1));
  terminal.parser.registerOscHandler(9, (text) => {
    notifications.push(text);
    return true;
  });

  const lines = (): string[] => readLines(terminal);

  return {
    lines,
    ended,
    colorOf: (text) => findColor(terminal, text),
    bells: () => bells,
    notifications: () => notifications,
    cpuMs: () => readCpuMs(child.pid ?? 0),
    shows: async (text, gone) =>
      await awaitScreen({ lines, changes, isOver: () => isOver }, text, gone),
    type: (keys) => void child.stdin.write(keys),
    resize(nextRows, nextColumns) {
      terminal.resize(nextColumns, nextRows);
      (child.stdio[3] as unknown as Writable).write(`${nextRows} ${nextColumns}\n`);
    },
    close: () => void child.kill(),
    kill: () => void spawn("pkill", ["-9", "-P", `${child.pid}`]),
  };
}

/** A hundredth of a second, the unit in which Linux counts CPU time. */
const tickMs = 10;

/** Sums the CPU time of the only child of a process. */
function readCpuMs(parent: number): number {
  const child = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim();
  const fields = readFileSync(`/proc/${child}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

function readLines({ buffer: { active }, rows }: headless.Terminal): string[] {
  return Array.from({ length: rows }, (_, row) =>
    (active.getLine(active.baseY + row)?.translateToString() ?? "").trimEnd(),
  );
}

function findColor(
  { buffer: { active }, rows }: headless.Terminal,
  text: string,
): number | undefined {
  for (let row = 0; row < rows; row += 1) {
    const line = active.getLine(active.baseY + row);
    const at = line?.translateToString().indexOf(text) ?? -1;
    const cell = at < 0 ? undefined : line?.getCell(at);
    if (cell !== undefined) return cell.isFgDefault() ? undefined : cell.getFgColor();
  }
  throw new Error(`The screen does not show ${text}.`);
}

interface Watched {
  lines: () => string[];
  /** Called when the screen changes. */
  changes: Set<() => void>;
  isOver: () => boolean;
}

async function awaitScreen(
  { lines, changes, isOver }: Watched,
  text: string | RegExp,
  gone?: "gone",
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const check = (): void => {
    const screen = lines().join("\n");
    const isShown = typeof text === "string" ? screen.includes(text) : text.test(screen);
    if (isShown === (gone === undefined)) resolve();
    else if (isOver()) reject(new Error(`The command ended, and did not show ${text}:\n${screen}`));
  };
  changes.add(check);
  check();
  // Shorter than the time limit of a test, so that the error contains the screen.
  const timer = setTimeout(
    () => reject(new Error(`The screen does not show ${text}:\n${lines().join("\n")}`)),
    40_000,
  );
  await promise.finally(() => {
    clearTimeout(timer);
    changes.delete(check);
  });
}
