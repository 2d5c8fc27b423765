import type { GrantOptions } from "../../arguments/grant-options.ts";
import { automate } from "../automation/schedule-command.ts";
import { cleanText } from "../../terminal/clean-text.ts";
import type { ProjectToServe, RunningServer, ServerOptions } from "../../../serve/serve.ts";
import { closeProjects, openProjects } from "./open-projects.ts";

/** Options of {@link serveProjects}. */
export interface ServeRequest extends Omit<ServerOptions, "projects" | "log"> {
  /** The absolute base of `folders`. */
  cwd: string;
  folders: readonly string[];
  rights: GrantOptions;
  /** Writes a line on stderr. */
  write: (line: string) => void;
  /** Called when the server listens. */
  onListening: (server: RunningServer, projects: readonly ProjectToServe[]) => unknown;
  /** Ends the server; runs that it executes are left for `cadre resume`. */
  signal: AbortSignal;
}

/** Serves the projects in these folders, executes their schedules and sends their webhooks until `signal` aborts. */
export async function serveProjects(request: ServeRequest): Promise<void> {
  const { cwd, folders, rights, write, onListening, signal, ...shared } = request;
  const projects = await openProjects(folders, rights, { cwd, ...shared.user });
  try {
    const { startServer } = await import("../../../serve/serve.ts");
    const log = (line: string): void => write(`cadre serve: ${cleanText(line)}`);
    const server = await startServer({ ...shared, projects, log });
    await onListening(server, projects);
    const automations = projects.map(({ cadre }) => automate(cadre, signal, write));
    await aborted(signal);
    await Promise.all(automations);
    await server.close();
  } finally {
    await closeProjects(projects);
  }
}

/** Resolves when `signal` aborts; at once if it has aborted. */
async function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (signal.aborted) resolve();
  await promise;
}
