import { type AcpAgent, startAcpAgent } from "../../acp-runner/acp-agent.ts";
import { type AcpSession, openAcpSession } from "../../acp-runner/acp-session.ts";
import type { AgentClient } from "../../acp-runner/agent-client.ts";
import type { Clock } from "../../clock.ts";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import { type PermissionMode, permissionModes } from "../../run/permission.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** Parameters for starting a runner. */
export interface RunnerStartOptions {
  /** Cadre's own environment variables. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The extensions of the run. */
  servers: readonly ExtensionConfig[];
}

/** An active runner: its process and its session. */
export interface OpenRunner {
  agent: AcpAgent;
  session: AcpSession;
  /** The session's cost before the next turn, in US dollars; `null` = unknown. */
  usd: number | null;
}

/** The listener of the current turn. */
export type TurnListener = Omit<AgentClient, "session">;

/** The runner of one execution of a run. The process starts on first use. */
export interface RunnerProcess {
  /** Aborted with the reason why the runner must stop. */
  signal: AbortSignal;
  /** Ends the run with `error`, for problems that occur outside a wait. */
  fail(error: unknown): void;
  /** Returns the runner. Starts it if necessary, and continues the session `known` of an earlier process if it can. */
  open(known: string | undefined): Promise<OpenRunner>;
  /** Reports whether the runner is running. */
  isOpen(): boolean;
  /** Sends its updates to `listener` until the next call; updates between turns are dropped. */
  listen(listener: TurnListener | undefined): void;
  close(): Promise<void>;
}

/** Options of {@link createRunnerProcess}. */
export interface RunnerProcessOptions {
  clock: Clock;
  prepare: () => Promise<RunnerStartOptions>;
}

/** Time limit for each of starting, initializing and opening a session, in milliseconds. */
const answerMs = 60_000;

/** The names that agents give to the mode in which they ask. A mode that only reads unasked asks for the rest. */
const asking = ["default", "read-only", "agent"] as const;

/**
 * The ids of modes in which the agent asks for as much as in Cadre's mode. Cadre's rules apply to its requests, so even where
 * Cadre allows everything else, the agent should not decide alone.
 */
const modesFor: Readonly<Record<PermissionMode, readonly string[]>> = {
  plan: ["plan", "read-only"],
  "read-only": ["read-only", "plan"],
  deny: asking,
  ask: asking,
  "accept-edits": asking,
  auto: ["default", "workspace-write", "auto", "agent"],
};

/** The strictest permission mode of a run and its ancestors. */
export function strictestMode({ policies }: RunContext["spec"]): PermissionMode {
  return permissionModes.find((mode) => policies.some((policy) => policy.mode === mode)) ?? "ask";
}

/** Creates the runner process of `run`; the process starts on first use. */
export function createRunnerProcess(run: RunContext, options: RunnerProcessOptions): RunnerProcess {
  const { spec, watchdog } = run;
  const fault = new AbortController();
  const signal = AbortSignal.any([run.signal, fault.signal]);
  let listener: TurnListener | undefined;
  let opened: OpenRunner | undefined;
  let agent: AcpAgent | undefined;

  async function start(known: string | undefined): Promise<OpenRunner> {
    const runnerOptions = await options.prepare();
    const mark = `runner/${spec.id}`;
    agent = await startAcpAgent({
      ...runnerOptions,
      runner: run.definition.runner ?? "",
      mark,
      workspace: spec.workspace,
      clock: options.clock,
      signal,
      answerMs,
      client: {
        ...relay(
          () => listener,
          () => watchdog.heartbeat(),
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
    for (const warning of acp.warnings) run.warnings.add(warning);
    return { agent, session: acp, usd: acp.isContinued ? null : 0 };
  }

  return {
    signal,
    fail(error) {
      fault.abort(error);
      // Kill an agent that broke the protocol.
      void agent?.kill();
    },
    async open(known) {
      opened ??= await watchdog.allowSilence(4 * answerMs, start(known));
      return opened;
    },
    isOpen: () => opened !== undefined,
    listen: (next) => void (listener = next),
    async close() {
      await (signal.aborted ? agent?.kill() : agent?.close());
    },
  };
}

/** Forwards to the current listener. */
function relay(listener: () => TurnListener | undefined, onActivity: () => void): TurnListener {
  const current = (): TurnListener => {
    const now = listener();
    if (now === undefined) throw new Error("No turn is active now.");
    return now;
  };
  return {
    update(params) {
      onActivity();
      listener()?.update(params);
    },
    checkPermission: async (call) => await listener()?.checkPermission(call),
    readFile: async (path, lines) => await current().readFile(path, lines),
    writeFile: async (path, content) => await current().writeFile(path, content),
  };
}
