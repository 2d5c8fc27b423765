import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { closedObject } from "../../source/closed-object.ts";
import type { Run } from "../../run/run.ts";
import { createTool, type Tool, type ToolContext } from "../../tool/tool.ts";
import { describeRunName } from "../tools/session-scope.ts";
import { taskTitle } from "../shorten.ts";
import { findTeammate, isAtWork, readMembers, type TeamPort } from "./team-port.ts";

/** Creates the `team_send` tool. */
export function createTeamSendTool(port: TeamPort): Tool {
  return createTool({
    name: "team_send",
    description:
      "Sends a message to another member of your team, who reads it before its next step. board_list lists the members. An answer reaches you in the same way; team_wait waits for it.",
    access: "none",
    comesAfter: true,
    input: closedObject({
      to: z.string().min(1).describe("A label or run id; `*` for all other active members."),
      message: z.string().regex(/\S/).max(100_000),
    }),
    describe: ({ to, message }) => ({
      title: `Tell ${to === "*" ? "the team" : to}: ${taskTitle(message)}`,
      subject: to,
      paths: [],
    }),
    async execute({ to, message }, context) {
      const { spec } = context.caller;
      const members = to === "*" ? await othersAtWork(port, context) : [];
      const receivers = to === "*" ? members : [await findTeammate(port, spec, to)];
      const got = await Promise.all(receivers.map((run) => sendTo(port, context, run, message)));
      const reached = receivers.filter((_, index) => got[index]);
      if (reached.length === 0) throw noReceiver(to, receivers);
      const names = reached.map(describeRunName).join(", ");
      return { text: `Sent to ${names}.`, output: { runIds: reached.map(({ id }) => id) } };
    },
  });
}

async function othersAtWork({ registry }: TeamPort, { caller }: ToolContext): Promise<Run[]> {
  const members = await readMembers(registry, caller.spec);
  return members.filter((run) => run.id !== caller.spec.id && isAtWork(run));
}

/** Resolves with whether the run gets the message. A repeated step sends nothing twice. */
async function sendTo(
  { engine }: TeamPort,
  { caller, stepKey }: ToolContext,
  { id }: Run,
  message: string,
): Promise<boolean> {
  const { spec } = caller;
  const from = `${spec.label ?? spec.agent}, a member of your team (run ${spec.id})`;
  const sent = await engine.send(id, message, from, `m-${spec.id}/${stepKey}`);
  return sent !== undefined;
}

function noReceiver(to: string, [run]: readonly Run[]): CadreError {
  const message =
    run === undefined || to === "*"
      ? "No other member of your team is active, so the message was not delivered."
      : `${describeRunName(run)} has ended and reads no messages. Its result: context_get {"runId": ${JSON.stringify(run.id)}}.`;
  return new CadreError("invalid-argument", message);
}
