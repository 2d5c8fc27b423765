/** What trust allows a project; `docs/tools.md` has the same list. */
export const trustEnables: readonly string[] = [
  "program agents and the Lua of .aip agents run",
  "MCP servers, runners and retry checks of its configuration, agents and recipes start",
  "commands of the hooks in its configuration run, outside the sandbox",
  "its agents may name models that read and write files (scripted:, record:, replay:)",
  "its configuration applies in full: permissions, sandbox, limits, models, and where requests are sent",
];

/** The description of every `--trust` option. */
export const trustHelp: string =
  "trust the project for this command: its code may run and its configuration applies (cadre trust --help)";
