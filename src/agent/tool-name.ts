import { type ToolName, toolNames } from "../run/tool-names.ts";

/** The tools that start runs: who denies a foreign `Agent` or `Task` means all of them. */
export const delegatingTools: readonly ToolName[] = ["Agent", "Subagent", "sessions_spawn"];

/**
 * What other tools call theirs: Claude Code, OpenCode, Copilot and VS Code, Gemini CLI, Cursor, goose. Names are compared
 * without regard to case. The first column is what Cadre offers for them; nothing = known, but not offered here.
 */
const vocabulary: readonly [offered: readonly ToolName[], names: string][] = [
  [
    ["Read"],
    "read_file readFile read/readFile read_many_files view NotebookRead read/getNotebookSummary openFile",
  ],
  [["Edit", "Write"], "edit editFiles edit/editFiles str_replace_based_edit_tool text_editor"],
  [
    ["Edit"],
    "MultiEdit multi_edit replace patch apply_patch applyPatch str_replace edit_file search_replace replace_string_in_file insert_edit_into_file",
  ],
  [["Write"], "write_file writeFile create create_file createFile edit/createFile new new_file"],
  [
    ["Bash"],
    "shell execute run_shell_command runCommands run_command run_terminal_cmd runInTerminal run_in_terminal execute/runInTerminal runCommands/runInTerminal terminal powershell developer__shell runTasks runTests execute/runTests local_shell",
  ],
  [
    ["Grep"],
    "grep_search search_file_content textSearch search/textSearch codebase search/codebase usages search/usages search_files searchResults search/searchResults codebase_search semantic_search ripgrep",
  ],
  [["Glob"], "file_search fileSearch search/fileSearch find find_files glob_search"],
  [["Grep", "Glob"], "search"],
  [["LS"], "list ls list_directory list_dir listDirectory search/listDirectory list_files"],
  [["DirectoryTree"], "directory_tree tree"],
  [["Think"], "sequential_thinking thinking"],
  [["Skill"], "skills load_skill activate_skill"],
  [["WebFetch"], "web_fetch fetch fetch_url web/fetch web"],
  [
    ["Agent"],
    "Task custom-agent runSubagent agent/runSubagent delegate delegate_to_agent spawn_agent dispatch_agent",
  ],
  [["Subagent"], "subagents"],
  [
    [],
    "WebSearch web_search google_web_search web/search codesearch NotebookEdit notebook_edit edit/editNotebook runNotebooks BashOutput KillBash KillShell TaskOutput TaskStop AgentOutputTool TodoWrite TodoRead todo todos todo_write write_todos manage_todo_list TaskCreate TaskGet TaskList TaskUpdate AskUserQuestion ask_user question vscode/askQuestions ExitPlanMode exit_plan_mode EnterPlanMode enter_plan_mode EnterWorktree ExitWorktree SlashCommand LSP ListMcpResourcesTool ReadMcpResourceTool ListMcpResources ReadMcpResource ToolSearch MCPSearch StructuredOutput SendMessage TeamCreate TeamDelete CronCreate CronDelete CronList Monitor Artifact Workflow PushNotification RemoteTrigger ScheduleWakeup save_memory memory problems read/problems changes search/changes githubRepo web/githubRepo openSimpleBrowser browser vscodeAPI vscode vscode/vscodeAPI extensions testFailure findTestFiles terminalLastCommand terminalSelection read/terminalLastCommand read/terminalSelection getTerminalOutput execute/getTerminalOutput getTaskOutput createDirectory edit/createDirectory newWorkspace installExtension runVscodeCommand think_tool complete_task get_internal_docs codebase_investigator cli_help report_progress computer screenshot",
  ],
];

const offeredFor: ReadonlyMap<string, readonly ToolName[]> = new Map([
  ...vocabulary.flatMap(([offered, names]) =>
    names.split(" ").map((name): [string, readonly ToolName[]] => [name.toLowerCase(), offered]),
  ),
  // Cadre's own names in another case come last, so that they win; `edit` is the one that means more elsewhere.
  ...toolNames
    .filter((name) => name !== "Edit")
    .map((name): [string, readonly ToolName[]] => [name.toLowerCase(), [name]]),
]);

/**
 * What a tool's name in a definition stands for: Cadre's tools (several, or none that is offered here), every tool, a
 * pattern of MCP tools (`mcp__server__tool`), or nothing that is known.
 */
export type ToolMeaning =
  | { kind: "tools"; tools: readonly ToolName[] }
  | { kind: "mcp"; pattern: string }
  | { kind: "all" }
  | { kind: "unknown" };

/** Looks up one name of any vocabulary, without its `(…)`. */
export function resolveToolName(name: string): ToolMeaning {
  const exact = toolNames.find((known) => known === name);
  if (exact !== undefined) return { kind: "tools", tools: [exact] };
  if (name === "*" || name.toLowerCase() === "all") return { kind: "all" };
  const offered = offeredFor.get(name.toLowerCase());
  if (offered !== undefined) return { kind: "tools", tools: offered };
  if (/^mcp__(\*|[\w.-]+__[\w.*-]+)$/.test(name)) return { kind: "mcp", pattern: name };
  if (/^mcp__[\w.-]+$/.test(name)) return { kind: "mcp", pattern: `${name}__*` };
  const [, server, tool] = /^([\w.-]+)\/([\w.-]+|\*)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) {
    return { kind: "mcp", pattern: `mcp__${server}__${tool}` };
  }
  const family = name.endsWith("_*")
    ? toolNames.filter((known) => known.startsWith(name.slice(0, -1)))
    : [];
  return family.length > 0 ? { kind: "tools", tools: family } : { kind: "unknown" };
}

/** Every name the table knows, Cadre's own first: what an unknown one is compared with. */
export function knownToolNames(): string[] {
  return [...toolNames, ...vocabulary.flatMap(([, names]) => names.split(" "))];
}
