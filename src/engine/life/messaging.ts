import type { Clock } from "../../clock.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Message } from "../../run/message.ts";
import { isTerminal } from "../../run/run.ts";
import { createRunId } from "../../run/run-id.ts";
import type { Executions } from "./executions.ts";

/** Delivers messages to runs. */
export interface Messaging {
  /** See `Engine.send`. */
  send(runId: string, text: string, from: string, id?: string): Promise<string | undefined>;
  /** Delivers a message of another process. Returns `false` while the run is not here yet. */
  receive(runId: string, message: Message): Promise<boolean>;
}

/** Creates messaging that delivers to the runs of this process and sends to those of others. */
export function createMessaging(
  { registry, clock }: { registry: Registry; clock: Clock },
  executions: Executions,
): Messaging {
  async function hasEnded(runId: string): Promise<boolean> {
    const run = await registry.run(runId);
    return run === undefined || isTerminal(run.status);
  }

  /** Delivers a message; resolves with whether the run's journal has it. */
  async function handOver(runId: string, message: Message): Promise<boolean> {
    const execution = executions.get(runId);
    if (execution === undefined || execution.isEnding()) return false;
    const { inbox } = execution;
    if (!inbox.isKnown(message.id)) {
      registry.append(runId, { type: "message-queued", message });
      inbox.arrive(message);
    }
    await registry.flushed();
    return true;
  }

  async function hasTaken(runId: string, id: string): Promise<boolean> {
    const events = await registry.events(runId);
    return events.some((event) => event.type === "message-queued" && event.message.id === id);
  }

  return {
    async send(runId, text, from, givenId) {
      const id = givenId ?? `m-${createRunId(clock.now())}`;
      if (await hasEnded(runId)) {
        return givenId !== undefined && (await hasTaken(runId, id)) ? id : undefined;
      }
      const message: Message = { id, kind: "steering", from, text };
      if (executions.get(runId) === undefined) {
        // The process that executes the run, now or after a resume, finds it there.
        await registry.request(runId, "message", { ...message });
        return message.id;
      }
      return (await handOver(runId, message)) ? message.id : undefined;
    },
    receive: async (runId, message) => (await hasEnded(runId)) || (await handOver(runId, message)),
  };
}
