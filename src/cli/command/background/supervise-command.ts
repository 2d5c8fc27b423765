import type { Command } from "commander";

/** How long the supervisor waits for a new family before it ends, in milliseconds. */
const idleMs = 10_000;

const examples = `
Examples:
  cadre supervise ~/.local/state/cadre/projects/app-1a2b3c`;

/** `cadre supervise`, which \`cadre run --bg\` starts. */
export function defineSupervise(command: Command): void {
  command
    .argument("<folder>", "the state folder whose runs it executes")
    .addHelpText("after", examples)
    .action(async (stateFolder: string) => {
      const { supervise } = await import("../../background/supervise.ts");
      const stop = new AbortController();
      const end = (): void => stop.abort(new Error("the supervisor was asked to end"));
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, end);
      // The supervisor outlives the terminal that started it.
      process.on("SIGHUP", () => undefined);
      await supervise({ stateFolder, idleMs, signal: stop.signal });
    });
}
