import type { Command } from "commander";
import type { Webhook } from "../../../host.ts";
import { withRuns } from "../../run/open-cadre.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import {
  columnsOf,
  writeError,
  writeJson,
  writeLine,
  writeMessage,
} from "../../terminal/output.ts";
import { formatNumberOf, formatTime } from "../../view/format-value.ts";
import { formatTable } from "../../view/table/table.ts";

const examples = `
Examples:
  cadre webhooks
  cadre webhooks --json

Webhooks are configured under \`webhooks\`. \`cadre serve\` and \`cadre schedule execute\` send them.`;

/** `cadre webhooks`. */
export function defineWebhooks(command: Command): void {
  command
    .option("--json", "write JSON: { webhooks: [webhook] }")
    .addHelpText("after", examples)
    .action(async ({ json }: { json?: boolean }) => {
      const webhooks = await withRuns(async (cadre) => await cadre.automation.webhooks());
      if (json === true) return writeJson({ webhooks });
      if (webhooks.length > 0) return show(webhooks);
      writeError("The configuration has no webhooks. docs/automation.md describes them.");
    });
}

function show(webhooks: readonly Webhook[]): void {
  const rows = webhooks.map((webhook) => [
    cleanLine(webhook.name),
    webhook.events.join(" "),
    nameState(webhook),
  ]);
  const titles = ["WEBHOOK", "EVENTS", "STATE"];
  for (const line of formatTable(titles, rows, columnsOf(process.stdout))) writeLine(line);
  for (const webhook of webhooks) {
    const problem = describeProblem(webhook);
    if (problem !== null) writeMessage(cleanLine(`${webhook.name}: ${problem}`));
  }
}

function nameState({ problem, failing }: Webhook): string {
  if (failing !== null) return "failing";
  return problem === null ? "ok" : "not sent here";
}

function describeProblem({ problem, failing, repeated }: Webhook): string | null {
  if (failing === null) {
    return problem === null ? null : `not sent by a process with this environment. ${problem}`;
  }
  const { attempts, since, reason } = failing;
  const others = repeated > 1 ? ` (${repeated} messages are repeated)` : "";
  return `failing since ${formatTime(since)}, after ${formatNumberOf(attempts, "attempt")}: ${reason}${others}`;
}
