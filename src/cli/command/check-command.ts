import type { Command } from "commander";
import { createProjectToCheck } from "../arguments/project-to-check.ts";
import { cleanText } from "../terminal/clean-text.ts";
import { formatNumberOf } from "../view/format-value.ts";
import { writeJson, writeLine, writeMessage } from "../terminal/output.ts";
import { trustHelp } from "../arguments/trust-text.ts";
import type { Diagnostic } from "../../host.ts";
import { countFindings } from "../view/count-findings.ts";

const example = `
Examples:
  cadre check                      every agent and recipe of the project, and its configuration
  cadre check .claude/agents my-agent.md --json
  cadre check release.graph.yaml   a graph of runs

A finding in several files is one line; --json lists each.
Exit code: 1 when there is an error.`;

/** `cadre check`. */
export function defineCheck(command: Command, setExit: (code: number) => void): void {
  command
    .argument("[paths...]", "files or folders (default: the whole project)")
    .option("--trust", trustHelp)
    .option("--json", "write JSON: { diagnostics: [finding], errors, warnings }")
    .addHelpText("after", example)
    .action(async (paths: string[], options: { json?: boolean; trust?: boolean }) => {
      setExit(await check(paths, options));
    });
}

async function check(
  paths: readonly string[],
  { json = false, trust = false }: { json?: boolean; trust?: boolean },
): Promise<number> {
  const { checkProject } = await import("../../host.ts");
  const diagnostics = await checkProject(paths, await createProjectToCheck(trust));
  const errors = countFindings(diagnostics, "error");
  const warnings = countFindings(diagnostics, "warning");
  if (json) writeJson({ diagnostics, errors, warnings });
  else
    await listFindings(
      diagnostics,
      `${formatNumberOf(errors, "error")}, ${formatNumberOf(warnings, "warning")}`,
    );
  return errors > 0 ? 1 : 0;
}

async function listFindings(diagnostics: readonly Diagnostic[], counts: string): Promise<void> {
  const { listDiagnostics } = await import("../../host.ts");
  for (const line of listDiagnostics(diagnostics)) writeMessage(cleanText(line));
  writeLine(counts);
}
