import type { Command } from "commander";
import { withRuns } from "../../run/open-cadre.ts";
import { writeJson, writeMessage } from "../../terminal/output.ts";
import { UsageError } from "../../arguments/usage-error.ts";
import type { RunHandle } from "../../../host.ts";
import { describeRunArgument } from "../../arguments/describe-run-argument.ts";

const example = `
Examples:
  cadre send last "look at auth first"
  cadre send 7f3q01c "stop after the third file" --wait`;

interface SendOptions {
  wait?: boolean;
  json?: boolean;
}

/** `cadre send`. */
export function defineSend(command: Command, setExit: (code: number) => void): void {
  command
    .argument("<run>", describeRunArgument())
    .argument("<message...>", "the message; the run reads it before its next model step")
    .option("--wait", "wait until the run has read it")
    .option("--json", "write JSON: { runId, messageId, delivered }")
    .addHelpText("after", example)
    .action(async (id: string, words: string[], { wait, json }: SendOptions) => {
      const text = words.join(" ");
      if (text.trim() === "") throw new UsageError("Expected a message; got none.");
      await withRuns(async (cadre) => {
        const run = await cadre.find(id);
        const messageId = (await run.send(text)) ?? null;
        const isWaiting = wait === true && messageId !== null;
        const delivered = isWaiting ? await awaitReceipt(run, messageId) : null;
        const { status } = await run.state();
        if (messageId === null || delivered === false) setExit(1);
        if (json === true) writeJson({ runId: run.id, messageId, delivered });
        else writeMessage(describe(run.id, status, { messageId, delivered }));
      });
    });
}

/** Reports whether the run read the message before it ended. */
async function awaitReceipt(run: RunHandle, messageId: string): Promise<boolean> {
  for await (const event of run.events()) {
    if (event.type !== "messages-delivered") continue;
    if (event.messages.some((message) => message.id === messageId)) return true;
  }
  return false;
}

function describe(
  runId: string,
  status: string,
  { messageId, delivered }: { messageId: string | null; delivered: boolean | null },
): string {
  if (messageId === null) {
    return `Run ${runId} has ended (${status}). Continue it: cadre run --continue=${runId} TEXT`;
  }
  if (delivered === null) return `Sent; run ${runId} reads it before its next model step.`;
  return delivered ? `Run ${runId} has read it.` : `Run ${runId} ended before it read it.`;
}
