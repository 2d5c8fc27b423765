import { describe } from "vitest";
import {
  absent,
  after,
  type FormatPromise,
  testPromises,
} from "../fixtures/format/documented-format.ts";

const claude: FormatPromise[] = [
  [
    "only name and description are required",
    "",
    { tools: absent, model: absent, maxTurns: absent },
  ],
  [
    "without tools it has all that the conversation has",
    "",
    { tools: absent, disallowedTools: absent },
  ],
  ["tools are an allow list", "tools: Read, Grep, Glob", { tools: ["Read", "Grep", "Glob"] }],
  [
    "disallowed tools are taken from those it would have",
    "disallowedTools: Write, Edit",
    { disallowedTools: ["Write", "Edit"], tools: absent },
  ],
  [
    "with both, the denied ones go first",
    "tools: Read, Bash\ndisallowedTools: Bash",
    { tools: ["Read", "Bash"], disallowedTools: ["Bash"] },
  ],
  [
    "Agent(…) says which agents it may start",
    "tools: Agent(worker, researcher), Read",
    { agents: ["worker", "researcher"], tools: ["Agent", "Read"] },
  ],
  [
    "Agent without parentheses may start any",
    "tools: Agent, Read",
    { agents: absent, tools: ["Agent", "Read"] },
  ],
  [
    "Task is the older name of Agent",
    "tools: Task(worker)",
    { agents: ["worker"], tools: ["Agent"] },
  ],
  ["without Agent in the list it starts none", "tools: Read", { tools: ["Read"] }],
  [
    "the tools of a server are named with two underscores",
    "tools: mcp__github, mcp__git__log",
    { tools: ["mcp__github__*", "mcp__git__log"] },
  ],
  ["the model is an alias", "model: sonnet", { model: "sonnet" }],
  ["the model is a full id", "model: claude-opus-4-6", { model: "anthropic:claude-opus-4-6" }],
  ["inherit is the conversation's model, the default", "model: inherit", { model: absent }],
  [
    "a permission mode can only be one that is known",
    "permissionMode: plan",
    { permissionMode: "plan" },
  ],
  ["turns are limited by a whole number", "maxTurns: 12", { maxTurns: 12 }],
  ["skills are loaded by name", "skills: [a, b]", { skills: ["a", "b"] }],
  [
    "servers are names or configurations",
    "mcpServers:\n  - github\n  - own: { type: stdio, command: npx, args: ['-y', x] }",
    { extensions: ["github", { name: "own", type: "stdio", command: "npx", args: ["-y", "x"] }] },
  ],
  ["it can always run in the background", "background: true", { background: true }],
  ["it can have its own working tree", "isolation: worktree", { isolation: "worktree" }],
  ["effort goes up to max", "effort: xhigh", { effort: "high" }],
];

const copilot: FormatPromise[] = [
  ["a name is optional, and is for showing", "description: d", { name: "a" }],
  ["missing tools are all tools", "description: d", { tools: absent }],
  ["a star is all tools", "description: d\ntools: ['*']", { tools: absent }],
  ["an empty list means no tools", "description: d\ntools: []", { tools: [] }],
  [
    "the list may be one text with commas",
    "description: d\ntools: read, search",
    { tools: ["Read", "Grep", "Glob"] },
  ],
  [
    "aliases count in any case",
    "description: d\ntools: [Execute, SHELL, powershell]",
    { tools: ["Bash"] },
  ],
  [
    "edit stands for all that edits",
    "description: d\ntools: [edit]",
    { tools: ["Edit", "Write", "Read"] },
  ],
  [
    "agent and its older names start other agents",
    "description: d\ntools: [agent, custom-agent, Task]",
    { tools: ["Agent"] },
  ],
  [
    "one tool of a server, or all of them",
    "description: d\ntools: [srv/one, other/*]",
    { tools: ["mcp__srv__one", "mcp__other__*"] },
  ],
  [
    "an extension's tool has its name before it",
    "description: d\ntools: [azure.some-extension/some-tool]",
    { tools: ["mcp__azure_some-extension__some-tool"] },
  ],
  [
    "names that are not known are passed over, unless they are a server's",
    "description: d\ntools: [read, tool-of-tomorrow]",
    { tools: ["Read", "mcp__tool-of-tomorrow__*"] },
  ],
  [
    "of several models the first that there is",
    "description: d\nmodel: ['Claude Opus 4.5', 'GPT-5.2']",
    { model: "anthropic:claude-opus-4-5" },
  ],
  [
    "agents are who it may start, and a star is all",
    "description: d\ntools: [agent]\nagents: [Researcher]",
    { agents: ["Researcher"] },
  ],
  ["an empty list of agents allows no agent", "description: d\nagents: []", { agents: [] }],
  [
    "a bare name of a secret stands for its value",
    "description: d\nmcp-servers: { s: { type: local, command: c, env: { KEY: COPILOT_MCP_KEY } } }",
    {
      extensions: [
        "*",
        {
          name: "s",
          type: "stdio",
          command: "c",
          args: [],
          environment: { KEY: "${COPILOT_MCP_KEY}" },
          environmentKeys: ["COPILOT_MCP_KEY"],
        },
      ],
    },
  ],
  [
    "stdio is the same as local",
    "description: d\nmcp-servers: { s: { type: stdio, command: c, tools: [x] } }",
    { extensions: ["*", { name: "s", type: "stdio", command: "c", args: [], allow: ["x"] }] },
  ],
  [
    "running tests is no shell",
    "description: d\ntools: [read, runTests, execute/runTests]",
    { tools: ["Read"] },
  ],
];

const cursor: FormatPromise[] = [
  ["the name is the file's unless it is written", "description: d", { name: "a" }],
  ["the model is inherited by default", "description: d", { model: absent }],
  [
    "a model may have options in brackets",
    "description: d\nmodel: gpt-5.2[effort=high,fast=true]",
    { model: "openai:gpt-5.2", effort: "high" },
  ],
  [
    "read-only restricts writing, and servers altogether",
    "description: d\nreadonly: true",
    { permissionMode: "read-only", disallowedTools: ["mcp__*"] },
  ],
  [
    "not read-only is the default",
    "description: d\nreadonly: false",
    { permissionMode: absent, disallowedTools: absent },
  ],
  [
    "in the background it does not wait",
    "description: d\nis_background: true",
    { background: true },
  ],
  ["it has every tool of its parent", "description: d", { tools: absent }],
];

const acai: FormatPromise[] = [
  [
    "tools are one text with commas",
    "name: a\ndescription: d\ntools: read, bash",
    { tools: ["Read", "Bash"] },
  ],
  ["the time limit is in seconds", "name: a\ndescription: d\ntimeout: 90", { timeoutSeconds: 90 }],
  [
    "the model has its provider before a colon",
    "name: a\ndescription: d\nmodel: openai:gpt-5",
    { model: "openai:gpt-5" },
  ],
];

describe("in Claude Code's documentation,", () => {
  testPromises("claude", after("name: a\ndescription: d\n", claude));
});

describe("in the documentation of Copilot and VS Code,", () => {
  testPromises("copilot", copilot);
});

describe("in Cursor's documentation,", () => {
  testPromises("cursor", cursor);
});

describe("in acai's documentation,", () => {
  testPromises("acai", acai);
});
