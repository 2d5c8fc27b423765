import { type AcpAgent, startAcpAgent } from "../../acp-runner/acp-agent.ts";
import { type AcpSession, openAcpSession } from "../../acp-runner/acp-session.ts";
import type { AgentClient } from "../../acp-runner/agent-client.ts";
import type { Clock } from "../../clock.ts";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import { type PermissionMode, permissionModes } from "../../run/permission.ts";
import type { Session } from "../session.ts";

/** What a runner is started with. */
export interface RunnerPlace {
  /** Cadre's own. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The extensions of the run. */
  servers: readonly ExtensionConfig[];
}

/** A runner at work: its process and its session. */
export interface OpenRunner {
  agent: AcpAgent;
  session: AcpSession;
  /** What the session had cost before the turn that is next, in US dollars; `null` = unknown. */
  usd: number | null;
}

/** Who hears the runner in the turn that is under way. */
export type TurnListener = Omit<AgentClient, "session">;

/** The place where one execution of a run has its runner: nothing is started before it is needed. */
export interface Seat {
  /** Aborted with the reason for which the runner is to stop. */
  signal: AbortSignal;
  /** Ends the run with `error`: for what is found out where nobody waits. */
  fail(error: unknown): void;
  /** The runner; it is started when it is not there, with the session `known` of an earlier process where it can go on with it. */
  open(known: string | undefined): Promise<OpenRunner>;
  /** Whether it is there. */
  isOpen(): boolean;
  /** Lets `listener` hear it until the next call; nobody hears what it says between turns. */
  listen(listener: TurnListener | undefined): void;
  close(): Promise<void>;
}

/** What {@link createSeat} needs. */
export interface SeatOptions {
  clock: Clock;
  prepare: () => Promise<RunnerPlace>;
}

/** Milliseconds that starting, greeting and opening a session may take, each. */
const answerMs = 60_000;

/** How agents call the mode in which they ask; one that only reads by itself asks for the rest. */
const asking = ["default", "read-only", "agent"] as const;

/**
 * What a process of an agent may do without being asked: the ids of modes that ask for as much as Cadre's does. Rules hold for what it
 * asks, so it is not to judge by itself where Cadre allows all the rest.
 */
const modesFor: Readonly<Record<PermissionMode, readonly string[]>> = {
  plan: ["plan", "read-only"],
  "read-only": ["read-only", "plan"],
  deny: asking,
  ask: asking,
  "accept-edits": asking,
  auto: ["default", "workspace-write", "auto", "agent"],
};

/** The strictest mode of all levels of a run. */
export function strictestMode({ policies }: Session["spec"]): PermissionMode {
  return permissionModes.find((mode) => policies.some((policy) => policy.mode === mode)) ?? "ask";
}

/** A seat for the runner of `session`. */
export function createSeat(session: Session, options: SeatOptions): Seat {
  const { spec, watchdog } = session;
  const fault = new AbortController();
  const signal = AbortSignal.any([session.signal, fault.signal]);
  let listener: TurnListener | undefined;
  let opened: OpenRunner | undefined;
  let agent: AcpAgent | undefined;

  async function start(known: string | undefined): Promise<OpenRunner> {
    const place = await options.prepare();
    const mark = `runner/${spec.id}`;
    agent = await startAcpAgent({
      ...place,
      runner: session.definition.runner ?? "",
      mark,
      workspace: spec.workspace,
      clock: options.clock,
      signal,
      answerMs,
      client: {
        ...relay(
          () => listener,
          () => watchdog.sign(),
        ),
        session: () => opened?.session.id,
      },
    });
    const mode = strictestMode(spec);
    const acp = await openAcpSession(agent, {
      workspace: spec.workspace,
      known,
      modes: modesFor[mode],
      mustHave: mode !== "auto",
    });
    for (const warning of acp.warnings) session.warnings.add(warning);
    return { agent, session: acp, usd: acp.isContinued ? null : 0 };
  }

  return {
    signal,
    fail(error) {
      fault.abort(error);
      // Whoever broke a rule is not asked to stop.
      void agent?.kill();
    },
    async open(known) {
      opened ??= await watchdog.expectQuietWhile(4 * answerMs, start(known));
      return opened;
    },
    isOpen: () => opened !== undefined,
    listen: (next) => void (listener = next),
    async close() {
      await (signal.aborted ? agent?.kill() : agent?.close());
    },
  };
}

/** Passes on to whoever listens now. */
function relay(listener: () => TurnListener | undefined, sign: () => void): TurnListener {
  const current = (): TurnListener => {
    const now = listener();
    if (now === undefined) throw new Error("Nothing is being worked on now.");
    return now;
  };
  return {
    update(params) {
      sign();
      listener()?.update(params);
    },
    permit: async (call) => await listener()?.permit(call),
    readFile: async (path, lines) => await current().readFile(path, lines),
    writeFile: async (path, content) => await current().writeFile(path, content),
  };
}
