// The command `cadre`: its commands, options and help.

import { Command } from "commander";
import { readVersion } from "../version.ts";
import { wrapMessage } from "./terminal/output.ts";
import { wrapHelp } from "./terminal/wrap-help.ts";
import { formatMistake, nameExpected, otherNames, pointTo } from "./error/format-mistake.ts";

const example = `
Examples:
  cadre run "find out why the tests fail, and fix it"
  cadre run code-reviewer src/index.ts
  cadre run --continue "now add a test"
  cadre tree last

Commands that take a run work whichever process executes it.
\`cadre COMMAND --help\` says more about each.`;

/** Defines a command's arguments, options and action. Calls `setExit` with its exit code when that is not 0. */
type Define = (command: Command, setExit: (code: number) => void) => void;

interface Entry {
  summary: string;
  /** The command that lists the things of this command, for a user who expects it below this command. */
  all?: string;
  /** The command for one of these things, for a user who names it here. */
  one?: string;
  /** Whether help omits the command, because only scripts call it. */
  isHidden?: boolean;
  load: () => Promise<Define>;
}

/** The commands by heading, as help lists them. */
const groups: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  "Start work:": {
    run: {
      summary: "run an agent or a task, and wait for the result",
      load: async () => (await import("./command/run-command.ts")).defineRun,
    },
    chat: {
      summary: "talk with agents; the same as `cadre` alone",
      load: async () => (await import("./command/conversation/chat-command.ts")).defineChat,
    },
    resume: {
      summary: "continue unfinished runs whose process is gone",
      load: async () => (await import("./command/resume-command.ts")).defineResume,
    },
    retry: {
      summary: "retry a failed run",
      load: async () => (await import("./command/control/retry-command.ts")).defineRetry,
    },
    fork: {
      summary: "start a new run from a step of another",
      load: async () => (await import("./command/fork-command.ts")).defineFork,
    },
    trigger: {
      summary: "start a run or graph that the configuration names",
      load: async () => (await import("./command/automation/trigger-command.ts")).defineTrigger,
    },
    schedule: {
      summary: "list the schedules, or execute them",
      load: async () => (await import("./command/automation/schedule-command.ts")).defineSchedule,
    },
  },
  "Watch:": {
    runs: {
      summary: "list runs, newest first",
      all: "runs",
      one: "show",
      load: async () => (await import("./command/runs-command.ts")).defineRuns,
    },
    tree: {
      summary: "show a run and its descendants",
      load: async () => (await import("./command/tree-command.ts")).defineTree,
    },
    show: {
      summary: "show the conversation of a run, and its result",
      load: async () => (await import("./command/show-command.ts")).defineShow,
    },
    logs: {
      summary: "show what a run and its descendants did, line by line",
      load: async () => (await import("./command/background/logs-command.ts")).defineLogs,
    },
    attach: {
      summary: "watch a run of any process, and answer its questions",
      load: async () => (await import("./command/background/attach-command.ts")).defineAttach,
    },
    events: {
      summary: "show the journal of a run",
      load: async () => (await import("./command/events-command.ts")).defineEvents,
    },
    conversations: {
      summary: "list, name, archive or delete conversations",
      all: "conversations",
      one: "show",
      load: async () =>
        (await import("./command/conversation/conversations-command.ts")).defineConversations,
    },
    board: {
      summary: "list the tasks that the members of a team share",
      load: async () => (await import("./command/team/board-command.ts")).defineBoard,
    },
    export: {
      summary: "write a family to one file that needs no server",
      load: async () => (await import("./command/serve/export-command.ts")).defineExport,
    },
  },
  "Steer:": {
    send: {
      summary: "send a message to an active run",
      load: async () => (await import("./command/control/send-command.ts")).defineSend,
    },
    questions: {
      summary: "list the questions that wait for an answer",
      all: "questions",
      one: "answer",
      load: async () => (await import("./command/question/questions-command.ts")).defineQuestions,
    },
    answer: {
      summary: "answer a question of a run",
      load: async () => (await import("./command/question/answer-command.ts")).defineAnswer,
    },
    explain: {
      summary: "explain who would allow or deny a tool call, and why",
      load: async () => (await import("./command/question/explain-command.ts")).defineExplain,
    },
    raise: {
      summary: "give an active run more time or budget",
      load: async () => (await import("./command/control/raise-command.ts")).defineRaise,
    },
    cancel: {
      summary: "end a run and its descendants",
      load: async () => (await import("./command/control/cancel-command.ts")).defineCancel,
    },
  },
  "Changes in worktrees:": {
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
  },
  "Agents and recipes:": {
    init: {
      summary: "write .cadre with a configuration and examples",
      load: async () => (await import("./command/init-command.ts")).defineInit,
    },
    agents: {
      summary: "list the agents and recipes that can be run",
      all: "agents",
      one: "agents show",
      load: async () => (await import("./command/agents-command.ts")).defineAgents,
    },
    check: {
      summary: "check files of agents and recipes, or the whole project",
      load: async () => (await import("./command/check-command.ts")).defineCheck,
    },
    convert: {
      summary: "convert an agent to another program's format",
      load: async () => (await import("./command/convert-command.ts")).defineConvert,
    },
    recipe: {
      summary: "check, show or fill a recipe",
      all: "agents",
      one: "recipe show",
      load: async () => (await import("./command/recipe-command.ts")).defineRecipe,
    },
    pipeline: {
      summary: "check a prompt file, or show its events",
      one: "pipeline show",
      load: async () => (await import("./command/pipeline-command.ts")).definePipeline,
    },
    eval: {
      summary: "measure whether agents delegate well",
      load: async () => (await import("./command/eval/eval-command.ts")).defineEval,
    },
  },
  "Servers:": {
    serve: {
      summary: "serve an HTTP API and a page of all runs",
      load: async () => (await import("./command/serve/serve-command.ts")).defineServe,
    },
    mcp: {
      summary: "serve agents to editors and other agents (MCP)",
      load: async () => (await import("./command/mcp-command.ts")).defineMcp,
    },
    acp: {
      summary: "serve conversations to an editor (ACP)",
      load: async () => (await import("./command/acp/acp-command.ts")).defineAcp,
    },
    worker: {
      summary: "execute runs that other machines submit",
      load: async () => (await import("./command/worker/worker-command.ts")).defineWorker,
    },
    workers: {
      summary: "list the workers, and the runs that wait for one",
      load: async () => (await import("./command/worker/workers-command.ts")).defineWorkers,
    },
    supervise: {
      summary: "execute the runs in the background",
      isHidden: true,
      load: async () => (await import("./command/background/supervise-command.ts")).defineSupervise,
    },
    webhooks: {
      summary: "list the webhooks and their failures",
      load: async () => (await import("./command/automation/webhooks-command.ts")).defineWebhooks,
    },
  },
  "Settings and storage:": {
    config: {
      summary: "show every effective setting and its origin",
      load: async () => (await import("./command/config-command.ts")).defineConfig,
    },
    trust: {
      summary: "trust the code and configuration of a folder",
      load: async () => (await import("./command/trust-command.ts")).defineTrust,
    },
    cache: {
      summary: "list the cached results, or delete them",
      all: "cache",
      one: "show",
      load: async () => (await import("./command/cache-command.ts")).defineCache,
    },
    prune: {
      summary: "delete families that ended long ago",
      load: async () => (await import("./command/prune-command.ts")).definePrune,
    },
    db: {
      summary: "create or migrate the tables in PostgreSQL",
      load: async () => (await import("./command/db/db-command.ts")).defineDb,
    },
    completion: {
      summary: "print the completion script for a shell",
      load: async () => (await import("./command/completion-command.ts")).defineCompletion,
    },
    complete: {
      summary: "list completions of a command line",
      isHidden: true,
      load: async () => (await import("./command/completion-command.ts")).defineComplete,
    },
  },
};

/**
 * Returns the grammar of the command line. Loads only the commands named in `words`; the list of commands needs only the summaries of
 * the others.
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
    .configureOutput({
      writeOut: writeHelp,
      outputError: (text, write) => write(inColumns(formatMistake(text, otherNames))),
    })
    .showHelpAfterError("`cadre --help` lists the commands.")
    .addHelpText("after", example);
  for (const [heading, entries] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const [name, entry] of Object.entries(entries)) {
      const { summary, isHidden: hidden = false, all, one, load } = entry;
      const command = program
        .command(name, { hidden })
        .description(summary)
        .configureOutput({
          writeOut: writeHelp,
          outputError: (text, write) =>
            write(
              inColumns(nameExpected(command, formatMistake(text)) + pointTo({ all, one }, text)),
            ),
        })
        .showHelpAfterError(`\`cadre ${name} --help\` lists its arguments and options.`);
      if (words.includes(name)) (await load())(command, setExit);
    }
  }
  program.helpCommand("help [command]", "show the help of a command");
  return program;
}

/** The columns of help that is not written to a terminal, as for commander. */
const helpColumns = 80;

/** Writes a help, or the version, on stdout. */
function writeHelp(text: string): void {
  const { isTTY, columns } = process.stdout;
  process.stdout.write(wrapHelp(text, isTTY ? columns : helpColumns));
}

/** Wraps a parser error for the terminal. */
function inColumns(text: string): string {
  return wrapMessage(text, process.stderr);
}
