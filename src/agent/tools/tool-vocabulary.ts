import { type ToolName, toolNames } from "../../run/tool-names.ts";

/**
 * The tool names of Claude Code, OpenCode, Copilot and VS Code, Gemini CLI, Cursor and goose, with Cadre's tools for each; an
 * empty list = known, but not offered. Case, `_` and `-` are ignored.
 */
const vocabulary: readonly [offered: readonly ToolName[], names: string][] = [
  [
    ["Read"],
    "read_file file_read read/readFile read_many_files read/viewImage view view_image NotebookRead read/getNotebookSummary openFile cat ReadFileTool",
  ],
  [
    ["Edit", "Write"],
    "edit editFiles edit/editFiles str_replace_based_edit_tool str_replace_editor text_editor developer__text_editor",
  ],
  [
    ["Edit"],
    "MultiEdit file_edit replace patch apply_patch str_replace edit_file search_replace replace_string_in_file insert_edit_into_file replace_in_file apply_diff insert_content str_replace_file EditTool",
  ],
  [
    ["Write"],
    "write_file file_write create create_file edit/createFile new_file write_to_file WriteFileTool",
  ],
  [
    ["Bash"],
    "shell execute run_shell_command runCommands run_command run_terminal_cmd run_terminal_command runInTerminal execute/runInTerminal runCommands/runInTerminal terminal command powershell developer__shell runTasks execute/createAndRunTask runTasks/createAndRunTask createAndRunTask local_shell exec_command execute_command execute_shell exec ShellTool",
  ],
  [
    ["Grep"],
    "grep_search search_file_content textSearch search/textSearch codebase search/codebase usages search/usages search_files searchResults search/searchResults codebase_search SearchText semantic_search ripgrep rg",
  ],
  [["Glob"], "file_search search/fileSearch find find_files FindFiles glob_search"],
  [["Grep", "Glob"], "search"],
  [["LS"], "list ls list_directory list_dir search/listDirectory list_files ReadFolder"],
  [["DirectoryTree"], "directory_tree tree"],
  [["Think"], "sequential_thinking thinking"],
  [["TodoWrite"], "todo todos todo_list write_todos manage_todo_list update_plan update_todo_list"],
  [
    ["AskUser"],
    "AskUserQuestion ask_user ask_questions question vscode/askQuestions ask_followup_question request_user_input",
  ],
  [["Skill"], "skills load_skill activate_skill"],
  [["WebSearch"], "google_web_search GoogleSearch web/search search_web"],
  [["WebFetch"], "web_fetch fetch fetch_url web/fetch web fetch_webpage"],
  [
    ["Agent"],
    "Task custom-agent runSubagent agent/runSubagent delegate delegate_to_agent spawn_agent dispatch_agent invoke_agent",
  ],
  [["Subagent"], "subagents"],
  [
    [],
    "codesearch NotebookEdit edit/editNotebook edit/createJupyterNotebook runNotebooks execute/runNotebookCell BashOutput KillBash KillShell TaskOutput TaskStop AgentOutputTool TodoRead TaskCreate TaskGet TaskList TaskUpdate ExitPlanMode EnterPlanMode EnterWorktree ExitWorktree SlashCommand LSP ListMcpResourcesTool ReadMcpResourceTool ListMcpResources ReadMcpResource ToolSearch MCPSearch StructuredOutput SendMessage TeamCreate TeamDelete CronCreate CronDelete CronList Monitor Artifact Workflow PushNotification RemoteTrigger ScheduleWakeup save_memory memory problems read/problems get_errors changes get_changed_files search/changes githubRepo web/githubRepo openSimpleBrowser browser vscodeAPI vscode vscode/vscodeAPI extensions testFailure findTestFiles terminalLastCommand terminalSelection read/terminalLastCommand read/terminalSelection getTerminalOutput execute/getTerminalOutput getTaskOutput createDirectory edit/createDirectory newWorkspace new/newWorkspace installExtension runVscodeCommand selection think_tool complete_task get_internal_docs codebase_investigator cli_help generalist report_progress computer screenshot doom_loop external_directory execute_code code_execution browser_action use_mcp_tool access_mcp_resource attempt_completion new_task switch_mode runTests runTask runCell new newJupyterNotebook getProjectSetupInfo awaitTerminal killTerminal rename tracker_create_task tracker_update_task tracker_get_task tracker_list_tasks tracker_add_dependency tracker_visualize update_topic list_background_processes read_background_output kill_background_process",
  ],
];

/** VS Code's tool sets. A member that is not in the table is a tool of its set and not of an MCP server. */
const toolSets: ReadonlySet<string> = new Set(
  "agent browser edit execute new read search todo vscode web runcommands runtasks runnotebooks".split(
    " ",
  ),
);

const offeredFor: ReadonlyMap<string, readonly ToolName[]> = new Map([
  ...vocabulary.flatMap(([offered, names]) =>
    names.split(" ").map((name): [string, readonly ToolName[]] => [plain(name), offered]),
  ),
  // Cadre's own names in another case come last and take precedence, except for `edit`, which means more in other programs.
  ...toolNames
    .filter((name) => name !== "Edit")
    .map((name): [string, readonly ToolName[]] => [plain(name), [name]]),
]);

/** Returns Cadre's tools for a name; `undefined` for an unknown one. */
export function offeredTools(name: string): readonly ToolName[] | undefined {
  const exact = toolNames.find((known) => known === name);
  if (exact !== undefined) return [exact];
  const known = offeredFor.get(plain(name));
  if (known !== undefined) return known;
  const [, set = "", member] = /^([\w-]+)\/([\w.*-]+)$/.exec(name) ?? [];
  if (member === undefined || !toolSets.has(plain(set))) return undefined;
  return member === "*" ? (offeredFor.get(plain(set)) ?? []) : [];
}

/** Every known name for suggestions, Cadre's own first. */
export const knownToolNames: readonly string[] = [
  ...toolNames,
  ...vocabulary.flatMap(([, names]) => names.split(" ")),
];

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}
