// Admission: compares a recorded run with the current configuration and trust before it continues.

import type { AdmitRun, RunToAdmit } from "../../engine/life/recorded-run.ts";
import { CadreError } from "../../errors.ts";
import type { StoredExtension } from "../../run/extension-config.ts";
import { admitDefinition } from "./admit-definition.ts";
import type { AdmissionContext } from "./admission-context.ts";
import { checkGivenModels } from "./check-given-models.ts";
import { checkModels, checkProviderOptions } from "./check-models.ts";
import { checkOwnTools } from "./check-own-tools.ts";
import { bindPolicies } from "./check-policies.ts";
import { checkRecordedWorkspace } from "./check-workspace.ts";
import { findExtension } from "./find-extensions.ts";

/**
 * Creates the check of recorded runs against the current configuration and trust. A journal may come from anywhere, and trust may
 * have changed, so a journal never gives a run more than a new run would get.
 */
export function createRunAdmission(context: AdmissionContext): AdmitRun {
  return async (recorded) => {
    const { spec } = recorded;
    const problems: CadreError[] = [];
    const attempt = async <Value>(
      work: () => Value | Promise<Value>,
    ): Promise<Value | undefined> => {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof CadreError)) throw error;
        problems.push(error);
        return undefined;
      }
    };
    await attempt(() => checkRecordedWorkspace(context, spec));
    const definition = await attempt(() => admitDefinition(context, recorded));
    const policies = await attempt(() => bindPolicies(spec.policies, context.policy));
    await attempt(() => checkModels(context, recorded));
    await attempt(() => checkGivenModels(context, spec));
    await attempt(() => checkOwnTools(context, spec));
    await attempt(() => checkProviderOptions(context, spec));
    const extensions: StoredExtension[] = [];
    for (const stored of spec.extensions ?? []) {
      const found = await attempt(() => findExtension(context, stored));
      if (found !== undefined) extensions.push(found);
    }
    if (definition === undefined || policies === undefined || problems.length > 0) {
      throw refusal(recorded, problems);
    }
    return {
      spec: { ...spec, policies, ...(extensions.length > 0 && { extensions }) },
      definition,
    };
  };
}

/** Reports all missing grants at once. */
function refusal({ spec, purpose }: RunToAdmit, problems: CadreError[]): CadreError {
  const { id, agent } = spec;
  const [first] = problems;
  const lines = problems.map(({ message }) => `\n- ${message}`).join("");
  // A copy leaves the run as it is: it may have ended, or another process may be executing it.
  const refused =
    purpose === "resume" ? "stays unfinished: it cannot continue" : "cannot be forked or retried";
  const message = `The run ${id} (${agent}) ${refused} with the current configuration and trust.${lines}`;
  const details = { ...first?.details, runId: id };
  return new CadreError(first?.code ?? "invalid-argument", message, { details, cause: first });
}
