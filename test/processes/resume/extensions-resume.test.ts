import { inRecipes } from "../../fixtures/delegation/subagent-calls.ts";
import { describe, expect, test } from "vitest";
import { createFreeListener, startWebServer } from "../../fixtures/mcp/mcp-http-server.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";
import { type KilledProject, killRun } from "../../fixtures/mcp/resumed-extension.ts";
import { mcpServer } from "../../fixtures/process/bundled-program.ts";

const configPath = ".cadre/config.yaml";
const agentPath = ".cadre/agents/main.md";

const server = (more: object = {}): object => ({
  command: process.execPath,
  args: [mcpServer],
  ...more,
});
const config = (extensions: object): string => JSON.stringify({ extensions });
const agent = (fields: object): string => {
  const header = { name: "main", description: "x", ...fields };
  const lines = Object.entries(header).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\nx\n`;
};
const own = (more: object = {}): string =>
  agent({ extensions: [{ name: "own", type: "stdio", ...server(more) }] });

/** Expects that a resume is refused and changes nothing. */
async function expectRefused(
  { inspect }: KilledProject,
  reason: RegExp,
  options: Parameters<KilledProject["inspect"]>[0] = {},
): Promise<void> {
  const cadre = await inspect(options);
  const run = await cadre.find("last");
  const before = await run.journal();
  await expect(cadre.resume()).rejects.toThrow(reason);
  await expect(cadre.resume(run.id)).rejects.toThrow(reason);
  expect(await run.journal()).toEqual(before);
  expect(await cadre.resumable()).toEqual([run.id]);
  await cadre.close();
}

const here = inThisProcess("A resume of a run that workers have does nothing.");

describe("a resume after kill -9 reads extensions from their origin", () => {
  here("in the configuration: a new secret is used, and another command is refused", async () => {
    const killed = await killRun({
      [configPath]: config({ hub: server({ environment: { KEY: "old" } }) }),
    });
    const { project, offered, resume } = killed;
    project.write(configPath, config({ hub: server({ args: [mcpServer, "newer"] }) }));
    await expectRefused(
      killed,
      /The extension hub \(extensions in config\.yaml\) has another command, address or tools/,
    );
    project.write(configPath, config({}));
    await expectRefused(killed, /hub .*is no longer configured/);
    project.write(configPath, config({ hub: server({ environment: { KEY: "new" } }) }));
    await expectRefused(killed, /hub .*add the option `trust`/, { trust: false });
    expect(await resume()).toMatchObject({ status: "succeeded", text: "done" });
    expect(offered()).toContain("mcp__hub__echo");
  });

  test("at an address: the current header is sent", async () => {
    const web = await startWebServer(createFreeListener());
    const at = (key: string): string =>
      config({ hub: { url: `${web.url}?key=${key}`, headers: { "X-Key": key } } });
    const { project, resume } = await killRun({ [configPath]: at("old") });
    expect(web.requests.at(-1)?.headers["x-key"]).toBe("old");
    project.write(configPath, at("new"));
    expect(await resume()).toMatchObject({ status: "succeeded" });
    expect(web.requests.at(-1)?.headers["x-key"]).toBe("new");
  });

  here("in the agent's file: it must exist, be unchanged, and be trusted", async () => {
    const killed = await killRun({ [agentPath]: own() });
    const { project, offered, resume } = killed;
    await expectRefused(killed, /main\.md brings its own MCP servers.*not trusted/s, {
      trust: false,
    });
    project.write(agentPath, agent({}));
    await expectRefused(killed, /The extension own of agent main \(.*main\.md\) no longer exists/);
    project.write(agentPath, own({ args: [mcpServer, "newer"] }));
    await expectRefused(killed, /own of agent main .* has another command/);
    project.write(agentPath, own({ environmentKeys: ["HUB_TOKEN"] }));
    await expectRefused(killed, /has another command/);
    project.write(agentPath, own());
    // The file was written after the family began, so its code needs approval.
    const onApproval = async () => ({ decision: "allow", scope: "once" }) as const;
    expect(await resume({ onApproval })).toMatchObject({ status: "succeeded" });
    expect(offered()).toContain("mcp__own__echo");
  });

  here("a variable that is not set leaves the run for a process that has it", async () => {
    const killed = await killRun({ [agentPath]: own({ environmentKeys: ["HOME"] }) });
    await expectRefused(killed, /not set: HOME/);
    const environment = { PATH: process.env["PATH"], HOME: killed.project.home };
    expect(await killed.resume({ environment })).toMatchObject({ status: "succeeded" });
  });

  test("for sub-agents: those of the parent, and those of a recipe with its defaults", async () => {
    const recipe = JSON.stringify({
      version: "1.0.0",
      title: "Helper",
      description: "x",
      prompt: "help with {{ what }}",
      parameters: [
        { key: "what", input_type: "string", requirement: "required", description: "x" },
        {
          key: "flag",
          input_type: "string",
          requirement: "optional",
          description: "x",
          default: "old",
        },
      ],
      extensions: [
        {
          type: "stdio",
          name: "mine",
          cmd: process.execPath,
          args: [mcpServer, "{{ flag }}", "{{ recipe_dir }}"],
        },
      ],
    });
    const calls = [
      { tool: "Subagent", input: { instructions: "inherit" } },
      { tool: "Subagent", input: { subrecipe: "helper", parameters: { what: "it" } } },
    ];
    const asMain = (text: string): boolean => text === "go";
    const { resume } = await killRun(
      { [configPath]: config({ hub: server() }), ".cadre/recipes/helper.yaml": recipe },
      { script: ({ turn, task }) => (asMain(task) && turn === 0 ? calls : undefined), asked: 2 },
    );
    expect(await resume()).toMatchObject({ status: "succeeded", text: "done" });
  });

  here(
    "of a recipe with a value of the call in them cannot be restored, and the message says why",
    async () => {
      const recipe = JSON.stringify({
        version: "1.0.0",
        title: "Helper",
        description: "x",
        prompt: "help",
        parameters: [
          { key: "key", input_type: "string", requirement: "required", description: "x" },
        ],
        extensions: [
          {
            type: "stdio",
            name: "mine",
            cmd: process.execPath,
            args: [mcpServer],
            envs: { KEY: "{{ key }}" },
          },
        ],
      });
      const call = { tool: "Subagent", input: { subrecipe: "helper", parameters: { key: "it" } } };
      const killed = await killRun(
        { ".cadre/recipes/helper.yaml": recipe },
        { script: ({ turn, task }) => (task === "go" && turn === 0 ? [call] : undefined) },
      );
      const cadre = await killed.inspect();
      await expect(cadre.resume()).rejects.toThrow(
        /mine .* contains a value of the recipe's parameters/,
      );
    },
  );
});

/** A server in a recipe that names none of its tools is optional. */
const recipeServer = (name: string, more: object = {}): object => ({
  type: "stdio",
  name,
  cmd: process.execPath,
  args: [mcpServer],
  ...more,
});

test("a run that was killed without an optional server is resumed without it", async () => {
  const killed = await killRun(
    {
      [inRecipes("tidy.yaml")]: JSON.stringify({
        version: "1.0.0",
        title: "Tidy",
        description: "Tidies",
        prompt: "Tidy up.",
        extensions: [recipeServer("there"), recipeServer("hub", { env_keys: ["NEVER_SET"] })],
      }),
    },
    {
      script: ({ turn, task }) =>
        task === "go" && turn === 0
          ? [{ tool: "Subagent", input: { subrecipe: "tidy" } }]
          : undefined,
    },
  );
  expect(killed.offered()).toContain("mcp__there__echo");
  expect(await killed.resume()).toMatchObject({ status: "succeeded", text: "done" });
});
