import { globSync } from "node:fs";
import { join } from "node:path";
import type { ChunkingContext, CodeSplittingNameFunction } from "rolldown";

const source = join(import.meta.dirname, "..", "src");

/** Modules that a process loads together. */
interface Stage {
  /** The name of the chunk. */
  name: string;
  /** Paths below `src`. The stage contains everything that they import statically, except modules of earlier stages. */
  roots: readonly string[];
  /** Set when the stage contains only modules that later stages import too. The other modules stay with their roots. */
  isShared?: true;
  /** `apart`: the packages that the stage imports become a separate chunk, which the build minifies. `only`: and the rest stays with its roots. */
  packages?: "apart" | "only";
}

const runCommand = "cli/command/run-command.ts";

/** The stages in the order in which a process loads them. */
const stages: readonly Stage[] = [
  // Separate, because it is executed before any code that an old Node cannot load.
  { name: "start", roots: ["node-version.ts", "compile-cache.ts"] },
  // The modules that a program loads before there is a compile cache, and that the command and the library share.
  { name: "index", roots: ["index.ts", "short-run-id.ts", "version.ts"] },
  // The modules that worker threads share with the library. Otherwise the threads would load the whole library.
  { name: "threads", roots: globSync("**/*-worker.ts", { cwd: source }), isShared: true },
  // The libraries for scripts that the library uses too.
  {
    name: "formats",
    roots: ["aip/library/format/yaml-library.ts", "aip/library/format/toml-library.ts"],
    isShared: true,
  },
  // The choice of the command, and the help. The library is loaded by commands on use.
  { name: "command-line", roots: ["cli/command-line.ts"] },
  // The command that people wait for most, without the others.
  { name: "run-command", roots: [runCommand] },
  {
    name: "commands",
    roots: globSync("cli/command/**/*-command.ts", { cwd: source, exclude: [runCommand] }),
  },
  { name: "library", roots: ["runtime/create/build-cadre.ts"], packages: "apart" },
  { name: "host", roots: ["host.ts"], packages: "apart" },
  // Shared by the screen of a conversation and the ACP agent, so that the agent does not load the screen.
  { name: "changes", roots: ["acp/v2/git-patch.ts"], isShared: true },
  // The screen of a conversation, which is drawn before the library is loaded.
  { name: "chat-screen", roots: ["cli/chat/chat-on-screen.ts"] },
  // The command's views of runs. They use the library.
  {
    name: "views",
    roots: ["display", "run-report", "event-line", "board-rows"].map(
      (view) => `cli/view/${view}.ts`,
    ),
  },
  // Only for terminals: its library takes 10 ms to prepare the segmentation of text.
  { name: "live-tree", roots: ["cli/view/live-tree.ts"] },
  {
    name: "engine",
    roots: [
      "runtime/services/services.ts",
      "runtime/catalog/builtin-programs.ts",
      "tool/builtin/builtin-tools.ts",
      "tool/instruction-file/instruction-cache.ts",
      "extension/elicitation/ask-user-tool.ts",
      "delegate/tools/subagent-tool.ts",
      "delegate/tools/session-tools.ts",
    ],
  },
  { name: "chat", roots: ["cli/chat/hold-conversation.ts", "cli/chat/chat-by-lines.ts"] },
  // Loaded only when it is turned on.
  {
    name: "postgres",
    roots: ["registry/postgres/postgres.ts", "registry/postgres/connection/migrate.ts"],
  },
  { name: "telemetry", roots: ["telemetry/create-telemetry.ts"] },
  { name: "extension", roots: ["extension/host/extension-host.ts"], packages: "only" },
  { name: "mcp", roots: ["mcp/stdio/serve-stdio.ts"], packages: "only" },
  { name: "runner", roots: ["engine/runner/run-in-runner.ts"], packages: "only" },
  { name: "acp", roots: ["acp/serve-acp.ts"], packages: "only" },
  { name: "telemetry-sdk", roots: ["telemetry/sdk/start-sdk.ts"] },
];

/**
 * Puts the modules of each stage into one chunk. A separate file costs Node about half a millisecond, and a bundler that splits
 * by shared imports creates a hundred files for a run. A stage contains everything that its modules import, except modules of
 * earlier stages, so no two chunks import each other.
 */
export function groupByStage(entries: ReadonlySet<string>): CodeSplittingNameFunction {
  let groups: ReadonlyMap<string, string> | undefined;
  return (id, context) => {
    groups ??= findGroups(context);
    return entries.has(id) ? null : (groups.get(id) ?? null);
  };
}

function findGroups(context: ChunkingContext): Map<string, string> {
  const groups = new Map<string, string>();
  const whole = stages.filter(({ isShared }) => isShared !== true);
  const main = findImported(
    whole.flatMap(({ roots }) => roots),
    context,
  );
  for (const { name, roots, isShared, packages } of stages) {
    for (const root of roots) {
      const earlier = groups.get(join(source, root));
      if (earlier === undefined || isShared === true) continue;
      throw new Error(
        `Expected src/${root} to be loaded in the stage ${name}; a module of the stage ${earlier} imports it. Import its types only, or import it when it is used.`,
      );
    }
    for (const id of findImported(roots, context)) {
      if (groups.has(id) || (isShared === true && !main.has(id))) continue;
      const isApart = packages !== undefined && id.includes("/node_modules/");
      if (isApart) groups.set(id, `${name}-packages`);
      else if (packages !== "only") groups.set(id, name);
    }
  }
  return groups;
}

/** Returns `roots` and the modules that they import statically, at any depth. */
function findImported(roots: readonly string[], context: ChunkingContext): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) visit(imported);
  };
  for (const root of roots) {
    const id = join(source, root);
    if (context.getModuleInfo(id) === null) throw new Error(`There is no module ${id} to bundle.`);
    visit(id);
  }
  return found;
}
