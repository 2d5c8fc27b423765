import { CadreError } from "../../errors.ts";
import { checkLaunch } from "../../extension/check-launch.ts";
import { checkExtensionTrust } from "../../extension/extension-trust.ts";
import { digestExtension, storeExtension } from "../../extension/stored-extension.ts";
import { hasUnknown } from "../../recipe/fill-unknown.ts";
import type { ExtensionConfig, StoredExtension } from "../../run/extension-config.ts";
import type { AdmissionPlace } from "./admission-place.ts";
import { findDefinition } from "./find-definition.ts";

/**
 * Finds the configuration of an extension again where the run had it from, and makes sure that it can be used here.
 *
 * @throws CadreError `tool-unavailable` when it is gone, has changed, or is not optional and needs a
 * variable that is not set; `not-trusted`.
 */
export async function findExtension(
  place: AdmissionPlace,
  stored: StoredExtension,
): Promise<StoredExtension> {
  const config = await findConfig(place, stored);
  if (digestExtension(config) !== stored.digest) {
    throw refusal(
      stored,
      "starts, reaches or offers something else than when the run began. Restore what was there",
    );
  }
  // A run goes on without an optional one, which says so when its server is started.
  if (config.optional !== true) checkLaunch(config, place.environment);
  return storeExtension(config, stored.origin, stored.isOwn);
}

async function findConfig(
  place: AdmissionPlace,
  stored: StoredExtension,
): Promise<ExtensionConfig> {
  // Of an earlier version, which kept the configuration in a file.
  const origin: StoredExtension["origin"] | undefined = stored.origin;
  if (origin === undefined) {
    throw refusal(stored, "was recorded by an earlier version of Cadre, without where it is from");
  }
  if (origin.kind === "configuration") {
    const config = place.configured.find(({ name }) => name === stored.name);
    if (config !== undefined) return config;
    const hint = place.isTrusted(place.cwd)
      ? "Configure it again"
      : "Configure it again; if it is the project's, which is not trusted, add the option `trust`";
    throw refusal(stored, `is not configured any more. ${hint}`);
  }
  return await findOfAgent(place, stored, origin);
}

async function findOfAgent(
  place: AdmissionPlace,
  stored: StoredExtension,
  { agent, path }: Extract<StoredExtension["origin"], { kind: "agent" }>,
): Promise<ExtensionConfig> {
  const current = await findDefinition(place, { name: agent, path });
  const config = current?.extensions?.find(
    (extension) => typeof extension !== "string" && extension.name === stored.name,
  );
  if (current === undefined || config === undefined || typeof config === "string") {
    const fix = path === null ? "Pass the agent to createCadre({ agents })" : "Put it back";
    throw refusal(stored, `is not there any more. ${fix}`);
  }
  const { scope, path: found } = current.source;
  if (scope !== "user" && found !== null) {
    checkExtensionTrust([config], { path: found, isTrusted: place.isTrusted });
  }
  if (hasUnknown(config)) {
    throw refusal(
      stored,
      "has a value of the recipe's parameters in it, and those are not recorded",
    );
  }
  return config;
}

function refusal({ name, origin }: StoredExtension, problem: string): CadreError {
  const message = `The extension ${name}${whereIs(origin)} ${problem}, or start the run anew.`;
  return new CadreError("tool-unavailable", message, { details: { extension: name } });
}

function whereIs(origin: StoredExtension["origin"] | undefined): string {
  if (origin === undefined) return "";
  if (origin.kind === "configuration") return " (extensions in config.yaml)";
  return ` of agent ${origin.agent} (${origin.path ?? "given in code"})`;
}
