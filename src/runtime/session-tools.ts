import type { z } from "zod";
import type { AgentDefinition } from "../agent/agent.ts";
import { cancelSession, sessionsCancelInput } from "../delegate/sessions-cancel-tool.ts";
import {
  listSessions,
  sessionsListDescription,
  sessionsListInput,
} from "../delegate/sessions-list-tool.ts";
import {
  sendToSession,
  sessionsSendDescription,
  sessionsSendInput,
} from "../delegate/sessions-send-tool.ts";
import { sessionsCancelDescription } from "../delegate/sessions-cancel-tool.ts";
import { sessionsSpawnInput, spawnSessions } from "../delegate/sessions-spawn-tool.ts";
import {
  sessionsWaitInput,
  waitForSessions,
  type Waiting,
} from "../delegate/sessions-wait-tool.ts";
import * as results from "../delegate/tool-results.ts";
import { createDelegateTool, type DelegateTool } from "./delegate-tool.ts";
import type { RootScope } from "./root-scope.ts";

/** The session tools for a caller that is not a run. */
export interface SessionTools {
  sessions_spawn: DelegateTool<z.output<typeof sessionsSpawnInput>>;
  sessions_wait: DelegateTool<z.output<typeof sessionsWaitInput>>;
  sessions_list: DelegateTool<z.output<typeof sessionsListInput>>;
  sessions_send: DelegateTool<z.output<typeof sessionsSendInput>>;
  sessions_cancel: DelegateTool<z.output<typeof sessionsCancelInput>>;
}

/** What {@link createSessionTools} needs. */
export interface SessionToolsOptions {
  clock: Waiting["clock"];
  /** Asked at each call. */
  findScope: () => Promise<RootScope>;
}

/** Makes the tools. */
export function createSessionTools(
  { clock, findScope }: SessionToolsOptions,
  agents: readonly AgentDefinition[],
): SessionTools {
  return {
    sessions_spawn: createSpawnTool(findScope, agents),
    sessions_wait: createDelegateTool({
      title: "Wait for runs",
      description:
        "Waits for runs and returns their results. A run whose process is gone is continued. Left out, runIds means all that were started in the background and whose results were not fetched yet.",
      inputSchema: sessionsWaitInput,
      resultSchema: results.waitResult,
      isReadOnly: true,
      async call(input, { signal, onRun }) {
        const scope = await findScope();
        const endOf = async (runId: string): Promise<void> => {
          onRun(runId);
          await scope.endOf(runId, signal);
        };
        return await waitForSessions(scope, input, { clock, signal, endOf });
      },
    }),
    sessions_list: createDelegateTool({
      title: "List runs",
      description: sessionsListDescription,
      inputSchema: sessionsListInput,
      resultSchema: results.listResult,
      isReadOnly: true,
      call: async () => await listSessions(await findScope()),
    }),
    sessions_send: createDelegateTool({
      title: "Say something to a run",
      description: sessionsSendDescription,
      inputSchema: sessionsSendInput,
      resultSchema: results.sendResult,
      call: async (input) => await sendToSession(await findScope(), input),
    }),
    sessions_cancel: createDelegateTool({
      title: "Cancel a run",
      description: sessionsCancelDescription,
      inputSchema: sessionsCancelInput,
      resultSchema: results.cancelResult,
      call: async (input) => await cancelSession(await findScope(), input),
    }),
  };
}

function createSpawnTool(
  findScope: SessionToolsOptions["findScope"],
  agents: readonly AgentDefinition[],
): SessionTools["sessions_spawn"] {
  const names = agents.map(({ name }) => name).join(", ") || "none";
  return createDelegateTool({
    title: "Start runs in the background",
    description: [
      "Starts agents in the background and returns at once with their run ids. sessions_wait gives their results.",
      "With dependsOn a run waits for others without costing anything, so describe a whole plan at once: chains, fan-outs",
      "and what joins them. An agent sees only its task, what sharedContext says, and the results it asks for.",
      `Without agentId the agent main does it. Agents: ${names}.`,
    ].join("\n"),
    inputSchema: sessionsSpawnInput,
    resultSchema: results.spawnResult,
    async call(input, { onRun }) {
      const scope = await findScope();
      return await spawnSessions(
        {
          run: scope.run,
          async start(find, index) {
            const id = await scope.start(find, index);
            onRun(id);
            return id;
          },
        },
        input,
      );
    },
  });
}
