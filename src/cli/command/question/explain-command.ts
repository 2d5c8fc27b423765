import type { Command } from "commander";
import { openCadre } from "../../run/open-cadre.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { writeJson, writeLine } from "../../terminal/output.ts";
import { omitUndefined } from "../../../omit-undefined.ts";
import type { CallExplanation, PermissionMode } from "../../../host.ts";

const examples = `
Examples:
  cadre explain main "Bash(git push)"
  cadre explain tester "Write(src/a.ts)" --parent main --parent reviewer
  cadre explain reviewer "WebFetch(https://example.com)" --mode plan

Hooks and your earlier answers are not considered.`;

interface ExplainOptions {
  parent: string[];
  mode?: PermissionMode;
  json?: boolean;
}

/** `cadre explain`. */
export function defineExplain(command: Command): void {
  command
    .argument("<agent>", "the agent that would call")
    .argument("<call>", "a tool with its argument, such as `Bash(git push)`")
    .option(
      "--parent <agent>",
      "an agent above it, from the first run down; may be repeated",
      (agent: string, before: string[]) => [...before, agent],
      [],
    )
    .option("--mode <mode>", "the permission mode, instead of the configured one")
    .option("--json", "write JSON: { chain, tool, subject, decision, reason, levels, sandbox }")
    .addHelpText("after", examples)
    .action(async (agent: string, call: string, { parent, mode, json }: ExplainOptions) => {
      const cadre = await openCadre(omitUndefined({ mode }));
      try {
        const { explainCall } = await import("../../../host.ts");
        const request = { chain: [...parent, agent], call, workspace: process.cwd() };
        const explanation = await explainCall(cadre, request);
        if (json === true) writeJson(explanation);
        else for (const line of describeExplanation(explanation)) writeLine(line);
      } finally {
        await cadre.close();
      }
    });
}

function describeExplanation(explanation: CallExplanation): string[] {
  const { chain, tool, subject, decision, reason, levels, sandbox } = explanation;
  const call = subject === "" ? tool : `${tool}(${subject})`;
  return [
    `${decision}: ${cleanLine(`${chain.join(" > ")} ${call}`)}`,
    `by ${cleanLine(reason)}`,
    ...(levels.length < 2 ? [] : ["", "Each level alone (the strictest counts):"]),
    ...(levels.length < 2
      ? []
      : levels.map((level) => `  ${level.decision.padEnd(5)}  ${cleanLine(level.reason)}`)),
    ...(sandbox === null ? [] : ["", `Sandbox: ${sandbox}`]),
  ];
}
