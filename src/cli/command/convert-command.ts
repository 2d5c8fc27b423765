import { statSync } from "node:fs";
import { homedir } from "node:os";
import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { cleanText } from "../terminal/clean-text.ts";
import { withCadre } from "../run/open-cadre.ts";
import { writeError, writeJson, writeLine } from "../terminal/output.ts";
import { UsageError } from "../arguments/usage-error.ts";
import type { AgentDefinition, Conversion } from "../../host.ts";

const example = `
Examples:
  cadre convert code-reviewer --to claude
  cadre convert .claude/agents/reviewer.md --to opencode --write

Settings that the format cannot express are listed on stderr.`;

interface Options {
  to: string;
  write?: boolean;
  json?: boolean;
}

/** `cadre convert`. */
export function defineConvert(command: Command): void {
  command
    .argument("<agent>", "the name of an agent, or the path of its file")
    .requiredOption("--to <format>", "the format, such as claude; an unknown one lists them all")
    .option("--write", "write the file to the format's folder in the project; never replaces one")
    .option("--json", "write JSON: { format, path, text, lost: [{ field, message }], written }")
    .addHelpText("after", example)
    .action(async (agent: string, options: Options) => {
      await convert(agent, options);
    });
}

async function convert(agent: string, { to, write = false, json = false }: Options): Promise<void> {
  const { convertAgent, findProjectRoot, writeConversion } = await import("../../host.ts");
  const format = await readFormat(to);
  const definition = await findDefinition(agent);
  const conversion = convertAgent(definition, format);
  const root = findProjectRoot({ cwd: process.cwd(), home: homedir() });
  const written = write ? await writeConversion(root, conversion) : null;
  if (json) writeJson({ ...conversion, written });
  else report(conversion, written);
}

function report({ format, text, lost }: Conversion, written: string | null): void {
  for (const { field, message } of lost) {
    writeError(cleanText(`lost in ${format}: ${field}: ${message}`));
  }
  if (written === null) process.stdout.write(cleanText(text));
  else writeLine(`wrote ${relative(process.cwd(), written)}`);
}

async function readFormat(text: string): Promise<string> {
  const { nearestName, textFormats } = await import("../../host.ts");
  if (textFormats.includes(text)) return text;
  const names = textFormats.join(", ");
  if (text === "program" || text === "recipe" || text === "aip") {
    throw new UsageError(
      `Agents cannot be converted to ${text}; expected --to with one of ${names}.`,
    );
  }
  const meant = nearestName(text, textFormats);
  const hint = meant === null ? "" : ` Did you mean ${meant}?`;
  throw new UsageError(`Expected --to with one of ${names}; got ${text}.${hint}`);
}

/** Returns the agent in the file at that path if it exists, or else the agent with that name. */
async function findDefinition(agent: string): Promise<AgentDefinition> {
  const path = resolve(agent);
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const definition = isFile ? await loadPath(path) : await findByName(agent);
  const { CadreError, formatDiagnostic, hasError } = await import("../../host.ts");
  if (!hasError(definition.diagnostics)) return definition;
  const errors = definition.diagnostics.filter(({ severity }) => severity === "error");
  const lines = errors.map((error) => `\n${formatDiagnostic(error)}`).join("");
  throw new CadreError(
    "definition-invalid",
    `${definition.name} has errors, so it is not converted:${lines}`,
  );
}

async function loadPath(path: string): Promise<AgentDefinition> {
  if (/\.(?:ya?ml|json|aip)$/.test(path)) {
    throw new UsageError(
      `Expected an agent file such as .md or .toml; got ${path}. Recipes and .aip files cannot be converted.`,
    );
  }
  const { loadAgentFile, createTrust } = await import("../../host.ts");
  const trust = createTrust({ home: homedir(), environment: process.env });
  const { definition } = await loadAgentFile(path, (one) => trust.isTrusted(one));
  if (definition !== null) return definition;
  throw new UsageError(
    `${path} is not an agent: it has no frontmatter. \`cadre check\` says what an agent file needs.`,
  );
}

async function findByName(name: string): Promise<AgentDefinition> {
  const { CadreError } = await import("../../host.ts");
  const { agents, all } = await withCadre((cadre) => cadre.agents());
  const found = agents.find((one) => one.name === name) ?? all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = agents.map((one) => one.name).join(", ");
  throw new CadreError(
    "agent-not-found",
    `Unknown agent: "${name}". Available: ${names}. There is no such file either.`,
  );
}
