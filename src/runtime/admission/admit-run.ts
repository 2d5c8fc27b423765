import type { AdmitRun } from "../../engine/recorded/recorded-run.ts";
import { CadreError } from "../../errors.ts";
import type { StoredExtension } from "../../run/extension-config.ts";
import { admitDefinition } from "./admit-definition.ts";
import type { AdmissionPlace } from "./admission-place.ts";
import { checkModels } from "./check-models.ts";
import { bindPolicies } from "./check-policies.ts";
import { checkWorkspace } from "./check-workspace.ts";
import { findExtension } from "./find-extensions.ts";

/**
 * Admits recorded runs by what is configured and trusted now. A journal may come from anywhere, and trust and configuration
 * may have changed since: what it says is never believed where it would give a run more than a new one would get.
 */
export function createAdmission(place: AdmissionPlace): AdmitRun {
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
    await attempt(() => checkWorkspace(place, spec));
    const definition = await attempt(() => admitDefinition(place, recorded));
    const policies = await attempt(() => bindPolicies(spec.policies, place.policy));
    await attempt(() => checkModels(place, recorded));
    const extensions: StoredExtension[] = [];
    for (const stored of spec.extensions ?? []) {
      const found = await attempt(() => findExtension(place, stored));
      if (found !== undefined) extensions.push(found);
    }
    if (definition === undefined || policies === undefined || problems.length > 0) {
      throw refusal(spec, problems);
    }
    return {
      spec: { ...spec, policies, ...(extensions.length > 0 && { extensions }) },
      definition,
    };
  };
}

/** Everything that has to be granted, at once. */
function refusal({ id, agent }: { id: string; agent: string }, problems: CadreError[]): CadreError {
  const [first] = problems;
  const lines = problems.map(({ message }) => `\n- ${message}`).join("");
  const message = `The run ${id} (${agent}) was left as it is: it cannot go on with what is configured and trusted now.${lines}`;
  const details = { ...first?.details, runId: id };
  return new CadreError(first?.code ?? "invalid-argument", message, { details, cause: first });
}
