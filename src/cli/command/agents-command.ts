import type { Command } from "commander";
import { fieldRows, formatAgents } from "../view/table/agent-rows.ts";
import { createPaint } from "../terminal/paint.ts";
import { cleanText } from "../terminal/clean-text.ts";
import { withCadre } from "../run/open-cadre.ts";
import { columnsOf, writeError, writeJson, writeLine, writeProse } from "../terminal/output.ts";
import { formatNumberOf } from "../view/format-value.ts";
import { formatTable } from "../view/table/table.ts";
import type { Diagnostic, Discovery, LoadedConfig } from "../../host.ts";

const listExample = `
Examples:
  cadre agents
  cadre agents --json
  cadre agents show code-reviewer`;

const showExample = `
Example:
  cadre agents show main`;

/** `cadre agents` and `cadre agents show`. */
export function defineAgents(command: Command): void {
  command
    .option(
      "--json",
      "write JSON: { agents: [definition], extensions: [{ name, …, origin }], diagnostics: [finding] }",
    )
    .addHelpText("after", listExample)
    .action(async ({ json }: { json?: boolean }) => {
      await withCadre(async (cadre) => {
        const discovery = await cadre.agents();
        const { sources } = cadre.configuration;
        if (json === true) {
          const { describeDiscovery } = await import("../../host.ts");
          writeJson({ ...describeDiscovery(discovery), extensions: toExtensions(sources) });
        } else await listAgents(discovery, sources);
      });
    });
  command
    .command("show")
    .description("show an agent's effective definition and the origin of each value")
    .argument("<agent>", "the name of an agent")
    .option("--json", "write JSON: { agent: definition, fields: [{ field, value, origin }] }")
    .addHelpText("after", showExample)
    .action(async (name: string, _options: object, show: Command) => {
      await withCadre(async (cadre) => {
        await showAgent(name, await cadre.agents(), show.optsWithGlobals()["json"] === true);
      });
    });
}

type Sources = LoadedConfig["sources"];

/** Returns the MCP servers configured for all agents. */
function toExtensions(sources: Sources): { name: string; setting: object; origin: string }[] {
  return Object.entries(sources).flatMap(([key, { value, origin }]) => {
    const name = /^extensions\.(.+)$/s.exec(key)?.[1];
    const isSetting = typeof value === "object" && value !== null && !Array.isArray(value);
    return name === undefined || !isSetting ? [] : [{ name, setting: value, origin }];
  });
}

async function listAgents(discovery: Discovery, sources: Sources): Promise<void> {
  const { listDiagnostics, nameRunner } = await import("../../host.ts");
  const paint = createPaint(process.stdout);
  for (const line of formatAgents(discovery, columnsOf(process.stdout), nameRunner, paint))
    writeLine(line);
  listExtensions(toExtensions(sources));
  const findings = discovery.diagnostics.filter(isProblem);
  for (const line of listDiagnostics(findings)) writeError(cleanText(line));
  if (findings.length > 0) {
    writeError(`${formatNumberOf(findings.length, "finding")}; \`cadre check\` shows them all.`);
  }
}

function listExtensions(extensions: ReturnType<typeof toExtensions>): void {
  if (extensions.length === 0) return;
  const rows = extensions.map(({ name, setting, origin }) => {
    const { type, command, url } = setting as Readonly<Record<string, unknown>>;
    return [name, String(type), String(command ?? url), origin];
  });
  writeLine("");
  const titles = ["EXTENSION", "TYPE", "SERVER", "FROM"];
  for (const line of formatTable(titles, rows, columnsOf(process.stdout))) writeLine(line);
}

function isProblem({ severity }: Diagnostic): boolean {
  return severity !== "info";
}

async function showAgent(name: string, discovery: Discovery, json: boolean): Promise<void> {
  const { CadreError, explainAgent, formatDiagnostic, nearestName } = await import("../../host.ts");
  const { agents, all } = discovery;
  const agent = agents.find((one) => one.name === name) ?? all.find((one) => one.name === name);
  if (agent === undefined) {
    const names = agents.map((one) => one.name);
    const meant = nearestName(name, names);
    const hint = meant === null ? "" : ` Did you mean \`${meant}\`?`;
    const message = `Unknown agent: "${name}".${hint} Available: ${names.join(", ")}.`;
    throw new CadreError("agent-not-found", message);
  }
  const fields = explainAgent(agent);
  if (json) {
    writeJson({ agent, fields });
    return;
  }
  const shown = fields.filter(({ field }) => field !== "systemPrompt");
  const columns = columnsOf(process.stdout);
  const rows = fieldRows(shown, columns);
  for (const line of formatTable(["FIELD", "FROM", "VALUE"], rows, columns)) writeLine(line);
  for (const finding of agent.diagnostics) writeError(cleanText(formatDiagnostic(finding)));
  if (agent.systemPrompt !== "") writeProse(`\n${cleanText(agent.systemPrompt)}`);
}
