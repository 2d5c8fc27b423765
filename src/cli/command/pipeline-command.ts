import { resolve } from "node:path";
import type { Command } from "commander";
import { createProjectToCheck } from "../arguments/project-to-check.ts";
import { cleanText } from "../terminal/clean-text.ts";
import { formatNumberOf } from "../view/format-value.ts";
import { columnsOf, writeError, writeJson, writeLine } from "../terminal/output.ts";
import { formatTable } from "../view/table/table.ts";
import { trustHelp } from "../arguments/trust-text.ts";
import type { PipelinePlan, PromptFile } from "../../host.ts";
import { countFindings } from "../view/count-findings.ts";

const examples = `
Examples:
  cadre pipeline check prompt.md
  cadre pipeline show prompt.md`;

const checkExample = `
Example:
  cadre pipeline check prompt.md

Exit code: 1 when there is an error.`;

const showExample = `
Example:
  cadre pipeline show prompt.md --json

Exit code: 1 when the prompt file has an error.`;

interface Flags {
  json?: boolean;
  trust?: boolean;
}

/** `cadre pipeline check` and `cadre pipeline show`. */
export function definePipeline(command: Command, setExit: (code: number) => void): void {
  command.addHelpText("after", examples);
  command
    .command("check")
    .description("check a prompt file: its parameters, its sub-agents and the events they run on")
    .argument("<file>", "the prompt file")
    .option("--trust", trustHelp)
    .option("--json", "write JSON: { diagnostics: [finding], errors, warnings }")
    .addHelpText("after", checkExample)
    .action(async (file: string, flags: Flags) => {
      setExit(await reportFindings(file, flags));
    });
  command
    .command("show")
    .description("show which sub-agent runs on which event, in which order")
    .argument("<file>", "the prompt file")
    .option("--trust", trustHelp)
    .option("--json", "write JSON: { path, params, instruction, events, disabled, diagnostics }")
    .addHelpText("after", showExample)
    .action(async (file: string, flags: Flags) => {
      setExit(await showPrompt(file, flags));
    });
}

async function readPrompt(
  file: string,
  { trust = false }: Flags,
): Promise<{ prompt: PromptFile; exit: number }> {
  const { checkFileNames, checkPrompt, hasError } = await import("../../host.ts");
  const project = await createProjectToCheck(trust);
  const prompt = await checkPrompt(resolve(file), project);
  const diagnostics = [...prompt.diagnostics, ...(await checkFileNames([file], project))];
  return { prompt: { ...prompt, diagnostics }, exit: hasError(diagnostics) ? 1 : 0 };
}

async function reportFindings(file: string, flags: Flags): Promise<number> {
  const { formatDiagnostic } = await import("../../host.ts");
  const { prompt, exit } = await readPrompt(file, flags);
  const { diagnostics } = prompt;
  const [errors, warnings] = [
    countFindings(diagnostics, "error"),
    countFindings(diagnostics, "warning"),
  ];
  if (flags.json === true) {
    writeJson({ diagnostics, errors, warnings });
  } else {
    for (const finding of diagnostics) writeLine(cleanText(formatDiagnostic(finding)));
    writeLine(`${formatNumberOf(errors, "error")}, ${formatNumberOf(warnings, "warning")}`);
  }
  return exit;
}

async function showPrompt(file: string, flags: Flags): Promise<number> {
  const { formatDiagnostic, planPipeline } = await import("../../host.ts");
  const { prompt, exit } = await readPrompt(file, flags);
  const { path, params, instruction, diagnostics } = prompt;
  const plan = planPipeline(params);
  const { events, disabled } = plan;
  if (flags.json === true) {
    writeJson({ path, params, instruction, events, disabled, diagnostics });
    return exit;
  }
  const titles = ["EVENT", "ORDER", "AGENT", "WHEN"];
  // A file that cannot be read has no plan.
  const rows = instruction === "" && Object.keys(params).length === 0 ? [] : toRows(plan);
  const table = rows.length === 0 ? [] : formatTable(titles, rows, columnsOf(process.stdout));
  for (const line of table) writeLine(line);
  for (const finding of diagnostics) writeError(cleanText(formatDiagnostic(finding)));
  return exit;
}

const moments: Readonly<Record<string, string>> = {
  start: "before everything else",
  "task::start": "before the coder, for each task",
  "task::end": "after the coder's answer, for each task",
  end: "after all tasks",
};

function toRows({ events, disabled }: PipelinePlan): string[][] {
  const rows = events.flatMap(({ event, agents }) => {
    const when =
      (Object.hasOwn(moments, event) ? moments[event] : undefined) ?? "when an agent emits it";
    if (agents.length === 0) return [[event, "-", "-", when]];
    return agents.map(({ name }, index) => [event, String(index + 1), name, when]);
  });
  return [...rows, ...disabled.map(({ name }) => ["-", "-", name, "never: it is disabled"])];
}
