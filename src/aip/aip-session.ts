import { createHash } from "node:crypto";
import { basename, dirname, join, parse } from "node:path";
import type { JsonObject } from "../source/json.ts";
import { type Aip, type AipStage, stageTitles } from "./document/aip.ts";
import type { AipPort } from "./location/aip-port.ts";
import { type AipLocation, baseFolder, supportFolder } from "./location/aip-location.ts";
import { type AipOptions, optionsForLua } from "./document/aip-options.ts";
import { type Flow, readFlow } from "./document/flow.ts";
import { answerCall } from "./host/answer-call.ts";
import type { LuaPool } from "./lua/lua-pool.ts";
import type { LuaValue } from "./lua/lua-value.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { errorMessage } from "../error-message.ts";

/** One execution of an `.aip` agent, from Before All to After All. */
export interface AipSession {
  aip: Aip;
  /** The reference the agent was called by. */
  name: string;
  location: AipLocation;
  port: AipPort;
  pool: LuaPool;
  /** Aborts with the run, or with its first failing task. */
  signal: AbortSignal;
  /** The number of redos so far. */
  redo: number;
  /** The recorded seed of Lua's random numbers. */
  seed: string;
}

/** The version of AIPack whose functions are implemented. Packs check it. */
const aipackVersion: string = "0.8.31";

/** The default limit of calls. Each call is a step in the journal; a script with more calls is in a loop. */
const defaultCalls = 50_000;

/**
 * Executes the script of a stage.
 *
 * @param variables the globals of the script besides `CTX` and `options`.
 *
 * @param input the index of its input, 0-based.
 *
 * @throws Error `file.aip:LINE (# Stage): message`.
 */
export async function runStage(
  session: AipSession,
  stage: AipStage,
  variables: { options: AipOptions; [name: string]: LuaValue },
  input?: number,
): Promise<Flow> {
  const { aip, location, port, pool, signal } = session;
  const script = aip.scripts[stage];
  if (script === undefined) return { kind: "value", value: null };
  const prefix = stageKey(session, stage, input);
  const maxCalls = port.limits?.calls ?? defaultCalls;
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
    },
    async (name, args) => {
      calls += 1;
      if (calls > maxCalls)
        throw new Error(`a script may call functions outside Lua at most ${maxCalls} times`);
      const key = `${prefix}/${calls}-${name}`;
      return answerCall(name, args, { port, location, signal, input, key });
    },
    signal,
  );
  port.onProgress?.();
  if (outcome.type === "failure") throw stageError(session, stage, outcome.message);
  try {
    return readFlow(outcome.type === "value" ? outcome.value : null, stage);
  } catch (error) {
    throw stageError(session, stage, errorMessage(error));
  }
}

/** Returns the key of a stage. A resumed run uses the same key. */
export function stageKey(session: AipSession, stage: string, input?: number): string {
  const redo = session.redo === 0 ? "" : `redo-${session.redo}/`;
  return `aip/${redo}${stage}${input === undefined ? "" : `/${input}`}`;
}

/** Inserts the stage after the place in a Lua message. Without a place, uses the first line of the script. */
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

/** AIPack's names of the stages in `CTX`. */
const contextStages: Readonly<Record<AipStage, string>> = {
  "before-all": "BeforeAll",
  data: "Data",
  output: "Output",
  "after-all": "AfterAll",
};

/** Returns `CTX`: the names and folders of a script's environment. */
function contextOf(session: AipSession, stage: AipStage, input: number | undefined): JsonObject {
  const { aip, name, location, port, redo } = session;
  const { pack, workspace, home } = location;
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
    TMP_DIR: location.temporary,
    SESSION_UID: port.runId,
    RUN_UID: port.runId,
    RUN_NUM: 1,
    ...omitUndefined({ PARENT_RUN_UID: port.parentRunId }),
    STAGE: contextStages[stage],
    RUN_FLOW_REDO_COUNT: String(redo),
    ...(redo !== 0 && { REDO_COUNT: redo, FLOW_REDO_RUN_COUNT: redo }),
    ...(input !== undefined && { TASK_UID: `${port.runId}-${input + 1}`, TASK_NUM: input + 1 }),
    ...(pack !== undefined && {
      PACK_NAMESPACE: pack.namespace,
      PACK_NAME: pack.name,
      PACK_REF: name,
      PACK_IDENTITY: identity,
      ...(name.startsWith(`${identity}/`) && {
        PACK_SUB_PATH: name.slice(identity.length + 1),
      }),
      PACK_DIR: pack.folder,
      PACK_WORKSPACE_SUPPORT_DIR: supportFolder(location, pack, "workspace"),
      PACK_BASE_SUPPORT_DIR: supportFolder(location, pack, "base"),
    }),
  };
}
