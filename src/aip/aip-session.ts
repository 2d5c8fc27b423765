import { createHash } from "node:crypto";
import { basename, dirname, join, parse } from "node:path";
import type { JsonObject } from "../source/json.ts";
import { type Aip, type AipStage, stageTitles } from "./aip.ts";
import type { AipPort } from "./aip-port.ts";
import { type AipPlace, baseFolder, supportFolder } from "./aip-place.ts";
import { type AipOptions, optionsForLua } from "./aip-options.ts";
import { type Flow, readFlow } from "./flow.ts";
import { answerCall } from "./host/answer-call.ts";
import type { LuaPool } from "./lua-pool.ts";
import type { LuaValue } from "./lua-value.ts";

/** One execution of an agent, from Before All to After All. */
export interface AipSession {
  aip: Aip;
  /** What the agent was called by. */
  name: string;
  place: AipPlace;
  port: AipPort;
  pool: LuaPool;
  /** Ends with the run, or with its first failing task. */
  signal: AbortSignal;
  /** How often the agent was run again. */
  redo: number;
  /** Begins Lua's random numbers; recorded. */
  seed: string;
}

/** The version of AIPack whose functions are here: packs ask for it. */
const aipackVersion: string = "0.8.31";

/** Each call is a step in the journal; a script that makes more of them is in a loop. */
const defaultCalls = 50_000;

/**
 * Executes the script of a stage.
 *
 * @param variables what the script sees beside `CTX` and `options`.
 * @param input the input it is about, 0-based.
 * @throws Error `file.aip:LINE (# Stage): message`.
 */
export async function runStage(
  session: AipSession,
  stage: AipStage,
  variables: { options: AipOptions; [name: string]: LuaValue },
  input?: number,
): Promise<Flow> {
  const { aip, place, port, pool, signal } = session;
  const script = aip.scripts[stage];
  if (script === undefined) return { kind: "value", value: null };
  const prefix = stageKey(session, stage, input);
  const mostCalls = port.limits?.calls ?? defaultCalls;
  let calls = 0;
  const outcome = await pool.execute(
    {
      type: "script",
      name: basename(aip.path),
      ...script,
      globals: {
        ...variables,
        options: optionsForLua(variables.options),
        CTX: contextOf(session, stage, input),
      },
      seed: seedOf(session.seed, prefix),
      environment: { ...port.environment },
    },
    async (name, args) => {
      calls += 1;
      if (calls > mostCalls)
        throw new Error(`a script may call what lies outside of Lua ${mostCalls} times at most`);
      const key = `${prefix}/${calls}-${name}`;
      return answerCall(name, args, { port, place, signal, input, key });
    },
    signal,
  );
  port.onProgress?.();
  if (outcome.type === "failure") throw stageError(session, stage, outcome.message);
  try {
    return readFlow(outcome.type === "value" ? outcome.value : null, stage);
  } catch (error) {
    throw stageError(session, stage, error instanceof Error ? error.message : String(error));
  }
}

/** The key of a stage: the same whenever the run is executed. */
export function stageKey(session: AipSession, stage: string, input?: number): string {
  const redo = session.redo === 0 ? "" : `redo-${session.redo}/`;
  return `aip/${redo}${stage}${input === undefined ? "" : `/${input}`}`;
}

/** Puts the stage behind the place in a message of Lua: the line where its script begins when Lua does not know one. */
function stageError(session: AipSession, stage: AipStage, message: string): Error {
  const match = /^([^:\n]+:\d+): ([\s\S]*)$/.exec(message);
  const begin = session.aip.scripts[stage]?.line ?? 1;
  const [, place = `${basename(session.aip.path)}:${begin}`, text = message] = match ?? [];
  return new Error(`${place} (${stageTitles[stage]}): ${text}`);
}

function seedOf(seed: string, key: string): [number, number] {
  const digest = createHash("sha256").update(`${seed} ${key}`).digest();
  return [digest.readUInt32LE(0), digest.readUInt32LE(4)];
}

/** What AIPack calls the stages in `CTX`. */
const contextStages: Readonly<Record<AipStage, string>> = {
  "before-all": "BeforeAll",
  data: "Data",
  output: "Output",
  "after-all": "AfterAll",
};

/** `CTX`, the names and folders around a script. */
function contextOf(session: AipSession, stage: AipStage, input: number | undefined): JsonObject {
  const { aip, name, place, port, redo } = session;
  const { pack, workspace, home } = place;
  const file = parse(aip.path);
  const identity = pack === undefined ? "" : `${pack.namespace}@${pack.name}`;
  return {
    AIPACK_VERSION: aipackVersion,
    PWD: workspace,
    WORKSPACE_DIR: workspace,
    WORKSPACE_AIPACK_DIR: join(workspace, ".aipack"),
    BASE_AIPACK_DIR: baseFolder(home),
    AGENT_NAME: name,
    AGENT_FILE_NAME: file.base,
    AGENT_FILE_PATH: aip.path,
    AGENT_FILE_DIR: dirname(aip.path),
    AGENT_FILE_STEM: file.name,
    TMP_DIR: place.temporary,
    SESSION_UID: port.runId,
    RUN_UID: port.runId,
    RUN_NUM: 1,
    ...(port.parentRunId === undefined ? {} : { PARENT_RUN_UID: port.parentRunId }),
    STAGE: contextStages[stage],
    RUN_FLOW_REDO_COUNT: String(redo),
    ...(redo === 0 ? {} : { REDO_COUNT: redo, FLOW_REDO_RUN_COUNT: redo }),
    ...(input === undefined ? {} : { TASK_UID: `${port.runId}-${input + 1}`, TASK_NUM: input + 1 }),
    ...(pack === undefined
      ? {}
      : {
          PACK_NAMESPACE: pack.namespace,
          PACK_NAME: pack.name,
          PACK_REF: name,
          PACK_IDENTITY: identity,
          ...(name.startsWith(`${identity}/`) && {
            PACK_SUB_PATH: name.slice(identity.length + 1),
          }),
          PACK_DIR: pack.folder,
          PACK_WORKSPACE_SUPPORT_DIR: supportFolder(place, pack, "workspace"),
          PACK_BASE_SUPPORT_DIR: supportFolder(place, pack, "base"),
        }),
  };
}
