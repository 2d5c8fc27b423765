import { Command } from "commander";
import { readVersion } from "./version.ts";

const example = `
Examples:
  cadre run "find out why the tests fail, and fix it"
  cadre run code-reviewer src/index.ts
  cadre tree last

\`cadre COMMAND --help\` says more about each.`;

/** Gives a command its arguments, options and action. `setExit` is told its exit code when that is not 0. */
type Define = (command: Command, setExit: (code: number) => void) => void;

interface Entry {
  summary: string;
  load: () => Promise<Define>;
}

const entries: Readonly<Record<string, Entry>> = {
  run: {
    summary: "run an agent, or a task, and wait for the result",
    load: async () => (await import("./run-command.ts")).defineRun,
  },
  resume: {
    summary: "continue runs whose process is gone, where they stopped",
    load: async () => (await import("./resume-command.ts")).defineResume,
  },
  runs: {
    summary: "list runs, newest first",
    load: async () => (await import("./runs-command.ts")).defineRuns,
  },
  show: {
    summary: "show a run: its task, its conversation step by step, and its result",
    load: async () => (await import("./show-command.ts")).defineShow,
  },
  tree: {
    summary: "show a run and everything it started",
    load: async () => (await import("./tree-command.ts")).defineTree,
  },
  events: {
    summary: "show the journal of a run",
    load: async () => (await import("./events-command.ts")).defineEvents,
  },
  cancel: {
    summary: "end a run and everything it started, whichever process executes it",
    load: async () => (await import("./cancel-command.ts")).defineCancel,
  },
  send: {
    summary: "say something to a run at work, whichever process executes it",
    load: async () => (await import("./send-command.ts")).defineSend,
  },
  retry: {
    summary: "do once more what a run did not succeed in",
    load: async () => (await import("./retry-command.ts")).defineRetry,
  },
  fork: {
    summary: "start a new run from a step of another",
    load: async () => (await import("./fork-command.ts")).defineFork,
  },
  cache: {
    summary: "list the results that are kept for later runs, or forget them",
    load: async () => (await import("./cache-command.ts")).defineCache,
  },
  prune: {
    summary: "forget runs that ended long ago, with everything they started",
    load: async () => (await import("./prune-command.ts")).definePrune,
  },
  agents: {
    summary: "list the agents that can be run",
    load: async () => (await import("./agents-command.ts")).defineAgents,
  },
  check: {
    summary: "check files of agents and recipes, or everything in the project",
    load: async () => (await import("./check-command.ts")).defineCheck,
  },
  recipe: {
    summary: "check, show or fill a recipe",
    load: async () => (await import("./recipe-command.ts")).defineRecipe,
  },
  pipeline: {
    summary: "check a prompt file, or show which sub-agent runs on which event",
    load: async () => (await import("./pipeline-command.ts")).definePipeline,
  },
  convert: {
    summary: "write an agent in the format of another program, and list what is lost",
    load: async () => (await import("./convert-command.ts")).defineConvert,
  },
  mcp: {
    summary: "serve the agents to an editor or another agent, over the Model Context Protocol",
    load: async () => (await import("./mcp-command.ts")).defineMcp,
  },
  init: {
    summary: "write .cadre with a configuration and examples; existing files stay as they are",
    load: async () => (await import("./init-command.ts")).defineInit,
  },
  config: {
    summary: "show every effective setting and where it came from",
    load: async () => (await import("./config-command.ts")).defineConfig,
  },
  trust: {
    summary: "let the code of a folder run and its configuration count, from now on",
    load: async () => (await import("./trust-command.ts")).defineTrust,
  },
};

/**
 * The command line's grammar. Only the commands named in `words` are complete: the others stand in the list of commands,
 * which need not wait for them to load.
 */
export async function createProgram(
  words: readonly string[],
  setExit: (code: number) => void,
): Promise<Command> {
  const program = new Command("cadre")
    .description("Delegate work to sub-agents.")
    .version(readVersion(), "--version", "show the version")
    .helpOption("-h, --help", "show help")
    .exitOverride()
    .addHelpText("after", example);
  for (const [name, { summary, load }] of Object.entries(entries)) {
    const command = program.command(name).description(summary);
    if (words.includes(name)) (await load())(command, setExit);
  }
  return program;
}
