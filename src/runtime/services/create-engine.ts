import type { Parts, ServicesOptions } from "./service-parts.ts";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { userStateFolder } from "../../config/state-folder.ts";
import { readUserKey } from "../../config/user-key.ts";
import { originOf } from "../../delegate/assignment.ts";
import { type Delegate } from "../../delegate/start/delegate.ts";
import type { Tracing } from "../../engine/run-context/tracing.ts";
import type { Engine } from "../../engine/engine.ts";
import { createApprovalSeal } from "../../engine/run-context/approval-seal.ts";
import { createLocalEngine } from "../../engine/life/local-engine.ts";
import type { ProgramDelegate } from "../../engine/program/program-context.ts";
import type { BuiltinToolOptions } from "../../tool/builtin/builtin-tools.ts";
import type { Shell, ShellOptions } from "../../tool/builtin/shell.ts";
import { findMemory } from "../../tool/memory/agent-memory.ts";
import type { Skill } from "../../tool/skill/skill.ts";
import type { Tool } from "../../tool/tool.ts";
import { createRunAdmission } from "../admission/admit-run.ts";
import type { CadreOptions } from "../cadre.ts";
import { offerOwnTools } from "../own-tool/offer-own-tools.ts";
import { createInstructionReader } from "./instruction-reader.ts";
import { createAdmissionContext } from "./create-admission-context.ts";
import { createAgentHooks } from "../hook/agent-hooks.ts";
import { createProgramLoader } from "../catalog/program-loader.ts";
import { createRunnerPreparation } from "./runner-preparation.ts";
import { createAvailableTools, type AvailableToolsOptions } from "./available-tools.ts";
import { omitUndefined } from "../../omit-undefined.ts";

export function createEngine(
  given: ServicesOptions,
  parts: Parts,
  {
    executes,
    ...later
  }: Pick<AvailableToolsOptions, "delegate" | "engine"> & { executes: boolean },
  tracing: Tracing | undefined,
): Engine {
  const { options, project, configuration, catalog, folder, activities } = given;
  const { registry, families, clock, limits, resolveModel, recipes, extensions } = parts;
  const { access, openChanges } = parts;
  const { cwd: workspace, home, environment } = project;
  const { sandbox, instructions } = configuration.config;
  const machine = { home, environment, sandbox, hiddenFolders: given.hiddenFolders };
  const createTools = async (): Promise<readonly Tool[]> =>
    await createAgentTools({ workspace, ...machine }, options);
  const shared = { registry, families, clock, catalog, recipes };
  const calls = { clock, delegate: later.delegate, onElicit: options.onElicit };
  const ownTools = offerOwnTools(given.ownTools, calls);
  const offer = { ...later, ...shared, createTools, ownTools, openChanges };
  const services = {
    clock,
    resolveModel: async (reference: string, family?: string) =>
      await resolveModel(reference, undefined, family),
    resolveDefaultModel: parts.resolveDefaultModel,
    openShell: createShellOpener(machine),
    findSkills: async () => await findSkills(project),
    readInstructions: createInstructionReader(home, instructions),
    findMemory: (definition: AgentDefinition) =>
      findMemory(definition, { ...project, cwd: workspace }),
    outputRoot: join(folder, "outputs"),
    limits,
  };
  return createLocalEngine({
    registry,
    activities,
    tracing,
    concurrency: limits.concurrency,
    executes,
    ...services,
    // Resolves symlinks, because paths in it are compared with others.
    agentFolders: join(realpathSync(folder), "agents"),
    offerTools: createAvailableTools({ ...offer, extensions: extensions.get }),
    onFamilyIdle(family) {
      extensions.release(family);
      given.modelObjects.bind(family, []);
    },
    permitDefinition: parts.changes.permit,
    admit: createRunAdmission(createAdmissionContext(given, parts)),
    prepareRunner: createRunnerPreparation(project),
    loadProgram: createProgramLoader({ ...services, ...later, ...project, catalog, access }),
    delegate: createProgramDelegate(later.delegate),
    ask: options.onApproval,
    hooks: parts.hooks,
    hooksOf: (definition) => createAgentHooks(definition, project),
    seal: createApprovalSeal(() => readUserKey(userStateFolder(project))),
  });
}

async function findSkills({ cwd, home }: ServicesOptions["project"]): Promise<readonly Skill[]> {
  const skills = await import("../../tool/skill/skill.ts");
  return await skills.findSkills(cwd, home);
}

/** Creates the tools that every agent can have, except those that delegate. */
async function createAgentTools(
  options: BuiltinToolOptions,
  { onElicit, readOpenText }: Pick<CadreOptions, "onElicit" | "readOpenText">,
): Promise<readonly Tool[]> {
  const { createBuiltinTools } = await import("../../tool/builtin/builtin-tools.ts");
  const { createAskUserTool } = await import("../../extension/elicitation/ask-user-tool.ts");
  const tools = await createBuiltinTools({
    ...options,
    ...omitUndefined({ readOpen: readOpenText }),
  });
  return [...tools, createAskUserTool(onElicit)];
}

/** Opens one shell for all checks, created for the first one. */
function createShellOpener(machine: ShellOptions): () => Promise<Shell> {
  let shell: Promise<Shell> | undefined;
  return () =>
    (shell ??= import("../../tool/builtin/shell.ts").then(({ createShell }) =>
      createShell(machine),
    ));
}

/** Creates the delegation of programs. */
function createProgramDelegate(delegate: () => Delegate): ProgramDelegate {
  return async (spec, stepKey, request) => await delegate().run(request, originOf(spec, stepKey));
}
