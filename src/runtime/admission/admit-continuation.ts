import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { ContinuationAdmission } from "../../delegate/request/assign-continuation.ts";
import type { RecordedRun } from "../../engine/life/recorded-run.ts";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { admitDefinition } from "./admit-definition.ts";
import type { AdmissionContext } from "./admission-context.ts";
import { checkGivenModels } from "./check-given-models.ts";
import { checkFileModels, checkProviderOptions } from "./check-models.ts";
import { checkRecordedWorkspace } from "./check-workspace.ts";
import { findDefinition } from "./find-definition.ts";
import { findExtension } from "./find-extensions.ts";

/**
 * Creates the check of a recorded run before a new run continues it. The new run gets its rights like any other run, so only the
 * parts that it takes over are checked.
 */
export function createContinuationAdmission(context: AdmissionContext): ContinuationAdmission {
  return {
    async checkKept({ spec }, kept) {
      checkRecordedWorkspace(context, spec);
      checkProviderOptions(context, kept);
      const models = [kept.model, ...(kept.fallbacks ?? [])];
      const givenModels = spec.givenModels?.filter((one) => models.includes(one));
      checkGivenModels(context, { ...spec, ...omitUndefined({ givenModels }) });
      await checkFileModels(context, { recorded: models, family: spec.rootId });
    },
    async findDefinition(recorded, { model, fallbacks }) {
      const { name, source } = recorded.definition;
      const { isFilled } = agentKindOf(source);
      if (!isFilled) {
        const current = await findDefinition(context, { name, path: source.path });
        if (current !== undefined) return current;
      }
      // Agents of a request, ad hoc agents and filled recipes are in no file in the form that the run has.
      if (source.path !== null && !isFilled) throw gone(recorded);
      const definition = await admitDefinition(context, recorded);
      const used = [
        model === undefined && definition.model,
        fallbacks === undefined && definition.fallbacks,
      ];
      await checkFileModels(context, { recorded: used, family: recorded.spec.rootId });
      return { ...definition, ...(await currentExtensions(context, recorded)) };
    },
  };
}

/** Returns the servers of a filled recipe from its current file. A stored definition has only their names. */
async function currentExtensions(
  context: AdmissionContext,
  { spec, definition }: RecordedRun,
): Promise<Pick<AgentDefinition, "extensions">> {
  const { name, source, extensions } = definition;
  if (extensions === undefined) return {};
  const own = (spec.extensions ?? []).filter(({ origin }) => origin.kind === "agent");
  for (const stored of own) await findExtension(context, stored);
  const current = await findDefinition(context, { name, path: source.path });
  const configs = (current?.extensions ?? []).filter((one) => typeof one !== "string");
  const found = extensions.map((one) => {
    const known = typeof one === "string" ? one : one.name;
    return configs.find((config) => config.name === known) ?? one;
  });
  return { extensions: found };
}

function gone({ definition: { name, source } }: RecordedRun): CadreError {
  const message = `Its agent ${name} is no longer in ${source.path}, or the file has an error, which \`cadre check\` shows. Put it back, or name the agent that continues with the option \`agent\`.`;
  return new CadreError("agent-not-found", message, {
    details: { agent: name, path: source.path },
  });
}
