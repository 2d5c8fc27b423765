// The command `cadre`: its commands, options and help.

import { Command } from "commander";
import { readVersion } from "../version.ts";

const example = `
Examples:
  cadre run "find out why the tests fail, and fix it"
  cadre run code-reviewer src/index.ts
  cadre run --continue "now add a test"
  cadre tree last

\`cadre COMMAND --help\` says more about each.`;

/** Defines the arguments, options and action of a command. `setExit` receives its exit code when that is not 0. */
type Define = (command: Command, setExit: (code: number) => void) => void;

interface Entry {
  summary: string;
  /** Called by scripts only; help does not list it. */
  isHidden?: boolean;
  load: () => Promise<Define>;
}

const entries: Readonly<Record<string, Entry>> = {
  run: {
    summary: "run an agent or a task, and wait for the result",
    load: async () => (await import("./command/run-command.ts")).defineRun,
  },
  chat: {
    summary: "talk with agents on the terminal; the same as cadre alone",
    load: async () => (await import("./command/conversation/chat-command.ts")).defineChat,
  },
  resume: {
    summary: "continue unfinished runs whose process is gone",
    load: async () => (await import("./command/resume-command.ts")).defineResume,
  },
  attach: {
    summary: "watch a run of any process, and answer its questions",
    load: async () => (await import("./command/background/attach-command.ts")).defineAttach,
  },
  logs: {
    summary: "show what a run and its descendants did, line by line",
    load: async () => (await import("./command/background/logs-command.ts")).defineLogs,
  },
  trigger: {
    summary: "start a run or graph that the configuration describes under a name",
    load: async () => (await import("./command/automation/trigger-command.ts")).defineTrigger,
  },
  schedule: {
    summary: "list the schedules of the configuration, or execute them",
    load: async () => (await import("./command/automation/schedule-command.ts")).defineSchedule,
  },
  webhooks: {
    summary: "list the webhooks of the configuration, and what fails",
    load: async () => (await import("./command/automation/webhooks-command.ts")).defineWebhooks,
  },
  worker: {
    summary: "execute the runs that were submitted with `cadre run --detach`, until SIGTERM",
    load: async () => (await import("./command/worker/worker-command.ts")).defineWorker,
  },
  workers: {
    summary: "list the workers, what they do, and the runs that wait for one",
    load: async () => (await import("./command/worker/workers-command.ts")).defineWorkers,
  },
  supervise: {
    summary: "execute the runs in the background",
    isHidden: true,
    load: async () => (await import("./command/background/supervise-command.ts")).defineSupervise,
  },
  runs: {
    summary: "list runs, newest first",
    load: async () => (await import("./command/runs-command.ts")).defineRuns,
  },
  show: {
    summary: "show a run: its task, its conversation step by step, and its result",
    load: async () => (await import("./command/show-command.ts")).defineShow,
  },
  tree: {
    summary: "show a run and its descendants",
    load: async () => (await import("./command/tree-command.ts")).defineTree,
  },
  board: {
    summary: "list the tasks that the members of a team share",
    load: async () => (await import("./command/team/board-command.ts")).defineBoard,
  },
  events: {
    summary: "show the journal of a run",
    load: async () => (await import("./command/events-command.ts")).defineEvents,
  },
  cancel: {
    summary: "end a run and its descendants, whichever process executes it",
    load: async () => (await import("./command/control/cancel-command.ts")).defineCancel,
  },
  raise: {
    summary: "give an active run more time or budget, whichever process executes it",
    load: async () => (await import("./command/control/raise-command.ts")).defineRaise,
  },
  send: {
    summary: "send a message to an active run, whichever process executes it",
    load: async () => (await import("./command/control/send-command.ts")).defineSend,
  },
  questions: {
    summary: "list the permission questions that wait for an answer, of all processes",
    load: async () => (await import("./command/question/questions-command.ts")).defineQuestions,
  },
  answer: {
    summary: "answer a permission question, whichever process executes the run",
    load: async () => (await import("./command/question/answer-command.ts")).defineAnswer,
  },
  explain: {
    summary: "explain what would be decided about a tool call of an agent, and by whom",
    load: async () => (await import("./command/question/explain-command.ts")).defineExplain,
  },
  conversations: {
    summary: "list conversations; give them titles, archive or delete them",
    load: async () =>
      (await import("./command/conversation/conversations-command.ts")).defineConversations,
  },
  retry: {
    summary: "retry a failed run",
    load: async () => (await import("./command/control/retry-command.ts")).defineRetry,
  },
  fork: {
    summary: "start a new run from a step of another",
    load: async () => (await import("./command/fork-command.ts")).defineFork,
  },
  diff: {
    summary: "show what a run changed in its worktree",
    load: async () => (await import("./command/diff-command.ts")).defineDiff,
  },
  merge: {
    summary: "merge the changes of runs into your branch",
    load: async () => (await import("./command/merge-command.ts")).defineMerge,
  },
  discard: {
    summary: "delete the worktree of a run, with its changes",
    load: async () => (await import("./command/discard-command.ts")).defineDiscard,
  },
  cache: {
    summary: "list the cached results, or delete them",
    load: async () => (await import("./command/cache-command.ts")).defineCache,
  },
  prune: {
    summary: "delete families that ended long ago",
    load: async () => (await import("./command/prune-command.ts")).definePrune,
  },
  db: {
    summary: "create or migrate the tables of the registry in PostgreSQL",
    load: async () => (await import("./command/db/db-command.ts")).defineDb,
  },
  agents: {
    summary: "list the agents that can be run",
    load: async () => (await import("./command/agents-command.ts")).defineAgents,
  },
  check: {
    summary: "check files of agents and recipes, or the whole project",
    load: async () => (await import("./command/check-command.ts")).defineCheck,
  },
  eval: {
    summary: "measure whether agents choose the right sub-agents, tasks and tools",
    load: async () => (await import("./command/eval/eval-command.ts")).defineEval,
  },
  recipe: {
    summary: "check, show or fill a recipe",
    load: async () => (await import("./command/recipe-command.ts")).defineRecipe,
  },
  pipeline: {
    summary: "check a prompt file, or show which sub-agent runs on which event",
    load: async () => (await import("./command/pipeline-command.ts")).definePipeline,
  },
  convert: {
    summary: "write an agent in the format of another program, and list what is lost",
    load: async () => (await import("./command/convert-command.ts")).defineConvert,
  },
  acp: {
    summary: "serve the conversations of agents to an editor (Zed, JetBrains, Neovim)",
    load: async () => (await import("./command/acp/acp-command.ts")).defineAcp,
  },
  mcp: {
    summary: "serve the agents to an editor or another agent over the Model Context Protocol",
    load: async () => (await import("./command/mcp-command.ts")).defineMcp,
  },
  serve: {
    summary: "serve an HTTP API and a page over the runs of every process of projects",
    load: async () => (await import("./command/serve/serve-command.ts")).defineServe,
  },
  export: {
    summary: "write a run and its descendants to one file that needs no server",
    load: async () => (await import("./command/serve/export-command.ts")).defineExport,
  },
  init: {
    summary: "write .cadre with a configuration and examples; existing files are kept",
    load: async () => (await import("./command/init-command.ts")).defineInit,
  },
  config: {
    summary: "show every effective setting and its origin",
    load: async () => (await import("./command/config-command.ts")).defineConfig,
  },
  trust: {
    summary: "trust a folder: its code may run and its configuration counts",
    load: async () => (await import("./command/trust-command.ts")).defineTrust,
  },
  completion: {
    summary: "print the script that completes command lines in a shell",
    load: async () => (await import("./command/completion-command.ts")).defineCompletion,
  },
  complete: {
    summary: "list completions of a command line",
    isHidden: true,
    load: async () => (await import("./command/completion-command.ts")).defineComplete,
  },
};

/**
 * Returns the grammar of the command line. Only the commands named in `words` are loaded; of the others, the list of
 * commands needs the summary alone.
 */
export async function createProgram(
  words: readonly string[],
  setExit: (code: number) => void,
): Promise<Command> {
  const program = new Command("cadre")
    .description("Delegate work to sub-agents.")
    .version(readVersion(), "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .exitOverride()
    .addHelpText("after", example);
  for (const [name, { summary, isHidden: hidden = false, load }] of Object.entries(entries)) {
    const command = program.command(name, { hidden }).description(summary);
    if (words.includes(name)) (await load())(command, setExit);
  }
  return program;
}
