import { type AgentDefinition, defaultMaxTurns, isProgram } from "../agent/agent.ts";
import type { Clock } from "../clock.ts";
import type { Engine } from "../engine/engine.ts";
import { CadreError } from "../errors.ts";
import type { Model } from "../model/model.ts";
import type { PermissionPolicy } from "../run/permission.ts";
import type { RunResult } from "../run/result.ts";
import type { RunSpec } from "../run/run.ts";
import { createRunId } from "../run/run-id.ts";
import { checkDelegation } from "./check-delegation.ts";
import { type Diagnostic, formatDiagnostic } from "../source/diagnostic.ts";
import type { Delegation, Origin } from "./delegation.ts";
import { checkPolicy, type DelegationPolicy } from "./delegation-policy.ts";
import { type Admission, type DelegationLimits, depthBelow } from "./limits.ts";

/** Turns delegations into runs: the one way to a run, for every tool and every way in. */
export interface Delegate {
  /**
   * Creates the run that is asked for, or finds it again when `origin` asked before; resolves with its id.
   *
   * @throws CadreError `agent-not-found`, `definition-invalid`, `delegation-denied`, `depth-exceeded`, `limit-exceeded`, `model-unavailable`
   * or `invalid-argument`.
   */
  start(delegation: Delegation, origin?: Origin): Promise<string>;
  /** The same, and waits for the result. */
  run(delegation: Delegation, origin?: Origin): Promise<RunResult>;
}

/** What {@link createDelegate} needs. */
export interface DelegateOptions {
  engine: Engine;
  admission: Admission;
  limits: DelegationLimits;
  delegation: DelegationPolicy;
  clock: Clock;
  /** Every agent that can be delegated to. */
  agents: () => Promise<readonly AgentDefinition[]>;
  /** What keeps a definition of that name from being delegated to; empty when there is none of that name. */
  problemsOf: (name: string) => Promise<readonly Diagnostic[]>;
  resolveModel: (reference: string) => Promise<Model>;
  resolveDefaultModel: () => Promise<Model>;
  /** Whether what the folder at a path brings along may reach beyond the workspace. */
  isTrusted: (path: string) => boolean;
  /** What the user allows every run. */
  policy: PermissionPolicy;
  /** Absolute. */
  workspace: string;
}

/** The delegate of one Cadre. */
export function createDelegate(options: DelegateOptions): Delegate {
  const { engine, admission } = options;

  async function create(delegation: Delegation, origin: Origin | undefined): Promise<string> {
    checkDelegation(delegation);
    const definition = await findAgent(options, delegation.agent, origin);
    const ended = origin === undefined ? undefined : await admission.admit(origin.spec);
    try {
      const chosen = await chooseModel(options, { delegation, definition, origin });
      if (origin !== undefined) checkPolicy(options.delegation, origin.spec, chosen.model);
      const id = createRunId(options.clock.now());
      const request = describeRun(options, { delegation, definition, origin, id });
      await engine.spawn({
        ...request,
        ...chosen,
        warnings: [...chosen.warnings, ...unsupported(definition)],
      });
      const settled = (): void => {
        ended?.();
        if (origin === undefined) admission.forget(id);
      };
      engine.result(id).then(settled, settled);
      return id;
    } catch (error) {
      ended?.();
      throw error;
    }
  }

  async function start(delegation: Delegation, origin?: Origin): Promise<string> {
    const before = origin && (await engine.reattach(origin.spec.id, origin.stepKey));
    return before ?? (await create(delegation, origin));
  }

  return {
    start,
    async run(delegation, origin) {
      return await engine.result(await start(delegation, origin));
    },
  };
}

interface Asked {
  delegation: Delegation;
  definition: AgentDefinition;
  origin: Origin | undefined;
}

async function findAgent(
  { agents, problemsOf }: DelegateOptions,
  name: string,
  origin: Origin | undefined,
): Promise<AgentDefinition> {
  const all = await agents();
  const allowed = origin?.spec.agents ?? null;
  const available = allowed === null ? all : all.filter((agent) => allowed.includes(agent.name));
  const found = available.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  const names = available.map((agent) => agent.name).join(", ") || "none";
  if (all.some((agent) => agent.name === name)) {
    const message = `Agent ${origin?.spec.agent} may not delegate to ${name}. Available: ${names}.`;
    throw new CadreError("delegation-denied", message);
  }
  const [problem] = await problemsOf(name);
  if (problem !== undefined) {
    const message = `Agent ${name} cannot be used: ${formatDiagnostic(problem)} Available: ${names}.`;
    throw new CadreError("definition-invalid", message);
  }
  throw new CadreError("agent-not-found", `Unknown agent: "${name}". Available: ${names}.`, {
    details: { name, available: available.map((agent) => agent.name) },
  });
}

type ChosenModel = Pick<RunSpec, "model" | "fallbackModel" | "warnings">;

/** The model asked for, or the definition's, or the parent's; one that a definition names may be missing. */
async function chooseModel(
  options: DelegateOptions,
  { delegation, definition, origin }: Asked,
): Promise<ChosenModel> {
  const inherited = origin?.spec.model ?? null;
  const resolve = async (reference: string): Promise<string> =>
    (await options.resolveModel(reference)).id;
  if (delegation.model !== undefined) {
    return { model: await resolve(delegation.model), fallbackModel: null, warnings: [] };
  }
  if (isProgram(definition)) return { model: inherited, fallbackModel: null, warnings: [] };
  const fallBack = async (): Promise<string> =>
    inherited ?? (await options.resolveDefaultModel()).id;
  if (definition.model === undefined) {
    return { model: await fallBack(), fallbackModel: null, warnings: [] };
  }
  try {
    checkFileModel(options, definition);
    return { model: await resolve(definition.model), fallbackModel: inherited, warnings: [] };
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    const model = await fallBack();
    const warning = `The model ${definition.model} of agent ${definition.name} cannot be used (${error.message}); it ran with ${model} instead.`;
    return { model, fallbackModel: null, warnings: [warning] };
  }
}

/** These read and write a file of the agent's choice, which no permission covers. */
const fileModel = /^\s*(?:record|replay|scripted):/;

function checkFileModel({ isTrusted }: DelegateOptions, definition: AgentDefinition): void {
  const { model = "", source } = definition;
  const isStrange = source.scope === "project" && source.path !== null && !isTrusted(source.path);
  if (!isStrange || !fileModel.test(model)) return;
  throw new CadreError(
    "not-trusted",
    "it names a file, and the folder of the agent is not trusted; read it, then type `cadre trust` there",
  );
}

function describeRun(
  options: DelegateOptions,
  { delegation, definition, origin, id }: Asked & { id: string },
): Omit<Parameters<Engine["spawn"]>[0], keyof ChosenModel> {
  const parent = origin?.spec;
  const inherited = parent?.policies ?? [options.policy];
  return {
    id,
    rootId: parent?.rootId ?? id,
    parentId: parent?.id ?? null,
    parentStep: origin?.stepKey ?? null,
    depth: parent === undefined ? 0 : parent.depth + 1,
    agent: definition.name,
    task: delegation.task,
    label: delegation.label ?? null,
    dependsOn: [],
    definition,
    temperature: definition.temperature ?? null,
    timeoutSeconds: delegation.timeoutSeconds ?? definition.timeoutSeconds,
    maxTurns: definition.maxTurns ?? defaultMaxTurns,
    maxDepth: depthBelow(definition, parent, options.limits),
    agents: definition.agents ?? null,
    workspace: parent?.workspace ?? options.workspace,
    parentTools: origin?.toolNames ?? null,
    policies: [...inherited, ...ownPolicy(definition)],
    chain: [...(parent?.chain ?? []), definition.name],
  };
}

/** A definition's own level; where it has rules and no mode, the mode is the one that adds nothing to them. */
function ownPolicy({ permissionMode, permissions }: AgentDefinition): PermissionPolicy[] {
  if (permissionMode === undefined && permissions === undefined) return [];
  const rules = permissions ?? { allow: [], ask: [], deny: [] };
  return [{ mode: permissionMode ?? "auto", rules }];
}

/** What a definition asks for and this version does not do: said, not passed over. */
function unsupported(definition: AgentDefinition): string[] {
  const fields = [
    "extensions",
    "skills",
    "isolation",
    "background",
    "budget",
    "inputSchema",
    "outputSchema",
  ] as const;
  return fields
    .filter((field) => definition[field] !== undefined)
    .map(
      (field) => `Agent ${definition.name}: its ${field} is not supported yet and has no effect.`,
    );
}
