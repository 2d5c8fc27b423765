/** What a project may do when its folder is trusted; `docs/tools.md` says the same. */
export const trustEnables: readonly string[] = [
  "program agents and the Lua of .aip agents run",
  "MCP servers, runners and retry checks of its configuration, agents and recipes start",
  "its agents may name models that read and write files (scripted:, record:, replay:)",
  "its configuration counts in full: permissions, sandbox, limits, models, and where requests are sent",
];

/** The help of every `--trust`. */
export const trustHelp: string =
  "trust the project for this command: its code runs, its configuration counts (cadre trust --help)";
