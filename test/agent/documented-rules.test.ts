import { describe } from "vitest";
import {
  absent,
  after,
  type FormatPromise,
  testPromises,
} from "../fixtures/format/documented-format.ts";

const openCode: FormatPromise[] = [
  ["the file's name is the agent's", "description: d", { name: "a" }],
  ["without a mode it can be both", "description: d", { maxDepth: absent, tools: absent }],
  [
    "a sub-agent starts none, unless its own rules are about that",
    "description: d\nmode: subagent",
    { maxDepth: 0 },
  ],
  [
    "a rule for all actions is not a rule for delegating",
    "description: d\nmode: subagent\npermission: { '*': allow }",
    { maxDepth: 0 },
  ],
  [
    "a rule for sub-agents lets it start them",
    "description: d\nmode: subagent\npermission: { task: { '*': deny, 'x': allow } }",
    { maxDepth: absent, agents: ["x"] },
  ],
  [
    "tools are switched off one by one",
    "description: d\ntools: { write: false, edit: false, bash: false }",
    { disallowedTools: ["Edit", "Write", "Bash"], tools: absent },
  ],
  [
    "a star switches off all tools of a server",
    "description: d\ntools: { 'mymcp_*': false }",
    { disallowedTools: ["mcp__mymcp_*"] },
  ],
  [
    "a server's bare name switches it off",
    "description: d\ntools: { my-mcp: false }",
    { disallowedTools: ["mcp__my-mcp__*"] },
  ],
  [
    "permissions say ask, allow or deny",
    "description: d\npermission: { edit: deny, bash: ask }",
    {
      disallowedTools: ["Edit", "Write"],
      "permissions.ordered": [{ decision: "ask", rule: "Bash" }],
    },
  ],
  [
    "edit is about writing and patching, too",
    "description: d\npermission: { edit: deny, write: allow, patch: allow }",
    { disallowedTools: ["Edit", "Write"] },
  ],
  [
    "a key of permission takes the place of the same one in tools",
    "description: d\ntools: { '*': false, bash: true }\npermission: { bash: { 'echo *': allow } }",
    {
      tools: ["Bash"],
      "permissions.ordered": [
        { decision: "deny", rule: "Bash" },
        { decision: "allow", rule: "Bash(echo:*)" },
      ],
    },
  ],
  [
    "of the rules that match the last one counts",
    "description: d\npermission: { bash: { 'git *': allow, '*': deny } }",
    { disallowedTools: ["Bash"] },
  ],
  [
    "a rule for listing holds beside one for reading",
    "description: d\npermission: { list: deny, read: allow }",
    { disallowedTools: ["LS", "DirectoryTree"] },
  ],
  [
    "steps limit the turns, and the older name does too",
    "description: d\nmaxSteps: 5",
    { maxTurns: 5 },
  ],
  ["without steps the agent has no own limit", "description: d", { maxTurns: absent }],
  [
    "a model has its provider before it",
    "description: d\nmodel: opencode/gpt-5.1-codex",
    { model: "opencode:gpt-5.1-codex" },
  ],
  ["a disabled agent is not used", "description: d\ndisable: true", { disabled: true }],
  [
    "other options are the provider's",
    "description: d\nreasoningEffort: high\ntextVerbosity: low",
    { effort: "high" },
  ],
];

const gemini: FormatPromise[] = [
  ["tools that are not written are the session's", "", { tools: absent }],
  [
    "a sub-agent cannot start others, whatever it is given",
    "tools: ['*']",
    { tools: absent, maxDepth: 0 },
  ],
  [
    "mcp_* is every server's, mcp_NAME_* one server's",
    "tools: [mcp_*, mcp_my-server_*]",
    { tools: ["mcp__*", "mcp__my-server__*"] },
  ],
  [
    "names a tool had before still mean it",
    "tools: [search_file_content, read_file]",
    { tools: ["Grep", "Read"] },
  ],
  ["the model is inherited unless it is named", "model: inherit", { model: absent }],
  [
    "thirty turns and ten minutes, unless it says otherwise",
    "",
    { maxTurns: 30, timeoutSeconds: 600 },
  ],
  ["temperature goes from 0 to 2", "temperature: 1.5", { temperature: 1.5 }],
  [
    "a policy takes tools and servers away",
    "policy: { tools: { exclude: [run_shell_command] }, mcp: { excluded: [git] } }",
    { disallowedTools: ["Bash", "mcp__git__*"] },
  ],
  [
    "servers may be written with either key",
    "mcpServers: { s: { command: node, args: [x.js] } }",
    { extensions: [{ name: "s", type: "stdio", command: "node", args: ["x.js"] }] },
  ],
];

const codexBase = 'name = "a"\ndescription = "d"\ndeveloper_instructions = "i"\n';
const codex: FormatPromise[] = [
  [
    "name, description and instructions are enough",
    "",
    { model: absent, permissionMode: absent, tools: absent, systemPrompt: "i" },
  ],
  [
    "unset fields are those of the parent session",
    'nickname_candidates = ["Ada"]',
    { model: absent, effort: absent, extensions: absent },
  ],
  ["a read-only sandbox only reads", 'sandbox_mode = "read-only"', { permissionMode: "read-only" }],
  [
    "a sandbox for the workspace is no more than the parent's",
    'sandbox_mode = "workspace-write"',
    { permissionMode: absent },
  ],
  [
    "the read-only profile only reads",
    'default_permissions = ":read-only"',
    { permissionMode: "read-only" },
  ],
  [
    "the profile of the workspace is no more than the parent's",
    'default_permissions = ":workspace"',
    { permissionMode: absent },
  ],
  [
    "where there is a sandbox mode, profiles do not count",
    'sandbox_mode = "read-only"\ndefault_permissions = ":workspace"',
    { permissionMode: "read-only" },
  ],
  [
    "a profile that people made is in the configuration",
    'default_permissions = "safe"',
    { permissionMode: "plan" },
  ],
  ["effort goes from none to xhigh", 'model_reasoning_effort = "xhigh"', { effort: "high" }],
  [
    "servers have tables of their own",
    '[mcp_servers.docs]\nurl = "https://example.com/mcp"\ndisabled_tools = ["x"]',
    {
      extensions: [
        { name: "docs", type: "streamable_http", url: "https://example.com/mcp", deny: ["x"] },
      ],
    },
  ],
  ["a server can be off", '[mcp_servers.docs]\ncommand = "c"\nenabled = false', { extensions: [] }],
  ["settings of tools are no list of them", "[tools]\nview_image = false", { tools: absent }],
];

describe("in OpenCode's documentation,", () => {
  testPromises("opencode", openCode);
});

describe("in Gemini CLI's documentation,", () => {
  testPromises("gemini", after("name: a\ndescription: d\n", gemini));
});

describe("in Codex's documentation,", () => {
  testPromises("codex", after(codexBase, codex));
});
