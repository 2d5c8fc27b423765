import { type AcpAgent, startAcpAgent } from "../../acp-runner/acp-agent.ts";
import { type AcpSession, openAcpSession } from "../../acp-runner/acp-session.ts";
import type { AgentClient } from "../../acp-runner/agent-client.ts";
import type { Clock } from "../../clock.ts";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import { type PermissionMode, permissionModes } from "../../run/permission.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** The parameters of a runner's start. */
export interface RunnerStartOptions {
  /** Cadre's own. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The extensions of the run. */
  servers: readonly ExtensionConfig[];
}

/** An active runner: its process and its session. */
export interface OpenRunner {
  agent: AcpAgent;
  session: AcpSession;
  /** The cost of the session before the next turn, in US dollars; `null` = unknown. */
  usd: number | null;
}

/** The listener of the current turn. */
export type TurnListener = Omit<AgentClient, "session">;

/** The runner of one execution of a run. It is started on first use. */
export interface RunnerProcess {
  /** Aborted with the reason for which the runner is to stop. */
  signal: AbortSignal;
  /** Ends the run with `error`, for problems found outside of any wait. */
  fail(error: unknown): void;
  /** Returns the runner. Starts it if necessary, with the session `known` of an earlier process if it can continue that. */
  open(known: string | undefined): Promise<OpenRunner>;
  /** Whether it is running. */
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

/** Milliseconds that starting, greeting and opening a session may take, each. */
const answerMs = 60_000;

/** How agents call the mode in which they ask; one that only reads by itself asks for the rest. */
const asking = ["default", "read-only", "agent"] as const;

/**
 * The ids of modes in which the agent asks for as much as Cadre's mode. Rules apply to its requests, so it should not
 * decide alone where Cadre allows everything else.
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
      // An agent that broke a rule is killed.
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
function relay(listener: () => TurnListener | undefined, sign: () => void): TurnListener {
  const current = (): TurnListener => {
    const now = listener();
    if (now === undefined) throw new Error("No turn is active now.");
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
