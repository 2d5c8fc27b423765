import { createAnthropic } from "@ai-sdk/anthropic";
import { describe, expect, test } from "vitest";
import { CadreError } from "../../errors.ts";
import { checkAgents, checkOptions } from "./check-options.ts";

/** The problems of `options`; JavaScript code has no types that would report them. */
function refusalOf(options: object): { code: string; message: string } {
  return refusalBy(() => checkOptions(options));
}

function refusalBy(check: () => void): { code: string; message: string } {
  try {
    check();
  } catch (error) {
    if (error instanceof CadreError) return error;
    throw error;
  }
  throw new Error("the options were accepted");
}

const anthropic = createAnthropic({ apiKey: "none" });
const folder = { path: ".memo/agents", userPath: ".memo/agents", isDeep: true };
const format = { name: "memo", folders: [folder], extensions: [".memo"], parse: () => null };
const model = anthropic("claude-sonnet-4-5");

describe("the options of createCadre", () => {
  test("are accepted as documented", () => {
    checkOptions({});
    checkOptions({
      cwd: ".",
      model,
      formats: [format, { ...format, name: "memo-2", ignores: () => false }],
      providers: { anthropic, "my.own-1": anthropic },
      contextTokens: 200_000,
      price: { input: 3, output: 15, cacheRead: 0 },
      agentFiles: ["a.md"],
      limits: { depth: 0, modelRetries: 2 },
      environment: { PATH: "/bin", HOME: undefined },
      onApproval: async () => ({ decision: "deny" }),
      trust: true,
    });
  });

  test.each([
    [{ modle: "sonnet" }, "`modle` is not known. Did you mean `model`?"],
    [{ permissionMode: "plan" }, "`permissionMode` is not known."],
    [{ model: "" }, "model: expected `provider:model`"],
    [{ model: { provider: "x" } }, "(specification v3 or v4), got"],
    [{ registry: 5 }, "registry: expected a folder, or a registry; got 5"],
    [{ registry: {} }, "got an object without `ownerId`, `failed`, `fail`, `append`, `flushed`"],
    [{ engine: {} }, "engine: expected a function, `local` or `dbos`, got an object"],
    [{ providers: [] }, "providers: expected an object of providers by name, got a list of 0"],
    [
      { providers: { a: 5 } },
      "providers.a: expected a provider of the AI SDK (specification v3 or",
    ],
    [{ providers: { a: model } }, "such as `createAmazonBedrock()`; got one of its models"],
    [
      { providers: { a: { specificationVersion: "v2", languageModel: () => model } } },
      "got a provider of specification v2",
    ],
    [{ providers: { "a:b": anthropic } }, 'which stands before the colon of a model; got "a:b"'],
    [{ providers: { record: anthropic } }, "providers.record: expected another name"],
    [{ formats: {} }, "formats: expected a list of formats of agent files, got an object"],
    [{ formats: [{ ...format, name: "claude" }] }, "claude is one of Cadre's own"],
    [{ formats: [{ ...format, name: "My Format" }] }, "formats.0.name: expected a name of a-z"],
    [{ formats: [format, format] }, "formats.1.name: two formats have this name"],
    [{ formats: [{ ...format, parse: "md" }] }, "formats.0.parse: expected a function"],
    [{ formats: [{ ...format, extensions: ["md"] }] }, "a lower-case extension with its dot"],
    [
      { formats: [{ ...format, folders: [{ ...folder, path: "." }] }] },
      "below the project, such as",
    ],
    [{ formats: [{ ...format, folders: [{ ...folder, userPath: "../x" }] }] }, 'got "../x"'],
    [{ formats: [{ ...format, load: () => null }] }, "`load` is not known."],
    [{ cwd: 5 }, "cwd: expected text, got 5"],
    [{ agents: {} }, "agents: expected a list of agents, got an object"],
    [{ agentFiles: "a.md" }, 'agentFiles: expected a list of paths, got "a.md"'],
    [{ agentFiles: [1] }, "agentFiles.0: expected text, got 1"],
    [{ trust: "yes" }, 'trust: expected true or false, got "yes"'],
    [{ onApproval: true }, "onApproval: expected a function, or `wait`, got true"],
    [{ environment: { A: 1 } }, "environment: expected an object of texts"],
    [{ limits: { childen: 3 } }, "limits: `childen` is not known. Did you mean `children`?"],
    [{ limits: { depth: 1.5 } }, "limits.depth: expected a whole number of at least 0, got 1.5"],
    [{ model, contextTokens: 0 }, "contextTokens: expected a whole number of at least 1, got 0"],
    [{ model, price: { input: 1 } }, "price.output: expected US dollars per million tokens"],
    [{ model: "sonnet", contextTokens: 5 }, "contextTokens: it describes a `model` that is given"],
    [{ price: { input: 1, output: 1 } }, "write models.prices in the configuration"],
  ])("are refused with the expected value: %j", (options, message) => {
    const refusal = refusalOf(options);
    expect(refusal.code).toBe("config-invalid");
    expect(refusal.message).toContain("The options of createCadre are not valid:\n- ");
    expect(refusal.message).toContain(message);
  });

  test("are refused with all problems at once", () => {
    const { message } = refusalOf({ trust: 1, home: "", limit: {} });
    expect(message.split("\n")).toHaveLength(4);
    expect(message).toContain("Did you mean `limits`?");
  });
});

describe("an agent in code", () => {
  const agent = { name: "poet", description: "writes", systemPrompt: "You write." };

  test("is accepted with every field of an agent file", () => {
    checkAgents(
      [
        {
          ...agent,
          model: "sonnet",
          tools: ["Read", "mcp__github__*"],
          disallowedTools: ["Bash"],
          agents: ["critic"],
          extensions: ["github", { type: "stdio", name: "own", command: "run", args: [] }],
          permissionMode: "plan",
          permissions: {
            allow: ["Bash(git *)"],
            ask: [],
            deny: [],
            ordered: [{ decision: "deny", rule: "Bash" }],
          },
          budget: { usd: 1 },
          retry: { maxRetries: 1, checks: [{ type: "shell", command: "true" }] },
          outputSchema: { type: "object" },
        },
        { name: "clock", description: "tells the time", timeoutSeconds: 0.5, run: () => "now" },
      ],
      [],
    );
  });

  test.each([
    [{ toolz: ["Read"] }, "`toolz` is not known. Did you mean `tools`?"],
    [{ tools: "Read" }, 'tools: expected a list of tool names such as `["Read"]`, got "Read"'],
    [{ tools: ["Raed"] }, 'tools.0: there is no tool "Raed". Did you mean `Read`?'],
    [{ tools: ["Bash(git *)"] }, "write a rule into `permissions`"],
    [{ disallowedTools: ["bash"] }, 'there is no tool "bash". Did you mean `Bash`?'],
    [{ permissionMode: "plann" }, 'got "plann". Did you mean `plan`?'],
    [{ permissions: { deny: ["Bsh"] } }, "permissions.deny.0: There is no tool Bsh"],
    [{ permissions: { denied: [] } }, "permissions: `denied` is not known."],
    [{ timeout: 5 }, "`timeout` is not known. Did you mean `timeoutSeconds`?"],
    [{ timeoutSeconds: 0 }, "timeoutSeconds: expected a number of seconds"],
    [{ maxTurns: 0 }, "maxTurns: expected a whole number of at least 1, got 0"],
    [{ budget: { dollars: 1 } }, "budget: `dollars` is not known."],
    [{ effort: "max" }, "effort: expected one of low, medium, high"],
    [{ background: "yes" }, "background: expected true or false"],
    [{ runner: "gemini" }, "runner: expected `acp:COMMAND args…`"],
    [{ extensions: [{ command: "run" }] }, "extensions.0: expected the name of an extension"],
    [
      { extensions: [{ name: "a", url: "ftp:" }] },
      "extensions.0.url: expected an http or https URL, got",
    ],
    [{ retry: { maxRetries: 1 } }, "retry.checks: expected a list of checks"],
    [{ outputSchema: "object" }, "outputSchema: expected a JSON Schema"],
    [{ isolation: "container" }, "isolation: expected one of worktree"],
    [{ name: "A b" }, "name: expected 1 to 64 of a-z, 0-9 and single hyphens"],
    [{ systemPrompt: undefined }, "expected `systemPrompt` or a function `run`, got neither"],
    [{ run: () => "x" }, "expected `systemPrompt` or a function `run`, got both"],
    [{ source: { format: "cadre" } }, "`source` is not known."],
  ])("is refused with the intended name: %j", (fields, message) => {
    const refusal = refusalBy(() => checkAgents([{ ...agent, ...(fields as object) }], []));
    expect(refusal.code).toBe("definition-invalid");
    expect(refusal.message).toContain("given to Cadre is not valid:\n- ");
    expect(refusal.message).toContain(message);
  });

  test("is refused if it is not an object, or has the name of another", () => {
    const strange: readonly unknown[] = ["poet"];
    const refused = refusalBy(() => checkAgents(strange as never, []));
    expect(refused.message).toContain('The agent "poet" given');
    const twice = refusalBy(() => checkAgents([agent, agent], []));
    expect(twice.message).toContain("two agents have this one");
  });

  test("names tools of the program like built-in ones, in its lists and rules", () => {
    const rules = { allow: ["lookup(customer:*)"], ask: [], deny: [] };
    checkAgents([{ ...agent, tools: ["lookup"], permissions: rules }], ["lookup"]);
    const { message } = refusalBy(() => checkAgents([{ ...agent, tools: ["lokup"] }], ["lookup"]));
    expect(message).toContain('there is no tool "lokup". Did you mean `lookup`?');
  });
});
