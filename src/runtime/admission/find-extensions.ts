import { CadreError } from "../../errors.ts";
import { checkLaunch } from "../../extension/check-launch.ts";
import { checkExtensionTrust } from "../../extension/extension-trust.ts";
import { digestExtension, storeExtension } from "../../extension/stored-extension.ts";
import { hasUnknown } from "../../recipe/fill/fill-unknown.ts";
import type { ExtensionConfig, StoredExtension } from "../../run/extension-config.ts";
import type { AdmissionContext } from "./admission-context.ts";
import { findDefinition } from "./find-definition.ts";

/**
 * Finds the current configuration of a recorded extension at its origin, and requires that it can be used.
 *
 * @throws CadreError `tool-unavailable` when it is gone, has changed, or is required and lacks a variable; `not-trusted`.
 */
export async function findExtension(
  context: AdmissionContext,
  stored: StoredExtension,
): Promise<StoredExtension> {
  const config = await findConfig(context, stored);
  if (digestExtension(config) !== stored.digest) {
    throw refusal(
      stored,
      "has another command, address or tools than when the run began. Restore the earlier configuration",
    );
  }
  // A run continues without an optional extension; the start of its server warns about it.
  if (config.optional !== true) checkLaunch(config, context.environment);
  return storeExtension(config, stored.origin, stored.isOwn);
}

async function findConfig(
  context: AdmissionContext,
  stored: StoredExtension,
): Promise<ExtensionConfig> {
  // Recorded by an earlier version, which stored the configuration in a file.
  const origin: StoredExtension["origin"] | undefined = stored.origin;
  if (origin === undefined) {
    throw refusal(stored, "was recorded by an earlier version of Cadre, without its origin");
  }
  if (origin.kind === "configuration") {
    const config = context.configured.find(({ name }) => name === stored.name);
    if (config !== undefined) return config;
    const hint = context.isTrusted(context.cwd)
      ? "Configure it again"
      : "Configure it again; if it is the project's, which is not trusted, add the option `trust`";
    throw refusal(stored, `is no longer configured. ${hint}`);
  }
  return await findOfAgent(context, stored, origin);
}

async function findOfAgent(
  context: AdmissionContext,
  stored: StoredExtension,
  { agent, path }: Extract<StoredExtension["origin"], { kind: "agent" }>,
): Promise<ExtensionConfig> {
  const current = await findDefinition(context, { name: agent, path });
  const config = current?.extensions?.find(
    (extension) => typeof extension !== "string" && extension.name === stored.name,
  );
  if (current === undefined || config === undefined || typeof config === "string") {
    const fix = path === null ? "Pass the agent to createCadre({ agents })" : "Put it back";
    throw refusal(stored, `no longer exists. ${fix}`);
  }
  const { scope, path: found } = current.source;
  if (scope !== "user" && found !== null) {
    checkExtensionTrust([config], { path: found, isTrusted: context.isTrusted });
  }
  if (hasUnknown(config)) {
    throw refusal(stored, "contains a value of the recipe's parameters, which are not recorded");
  }
  return config;
}

function refusal({ name, origin }: StoredExtension, problem: string): CadreError {
  const message = `The extension ${name}${whereIs(origin)} ${problem}, or start a new run.`;
  return new CadreError("tool-unavailable", message, { details: { extension: name } });
}

function whereIs(origin: StoredExtension["origin"] | undefined): string {
  if (origin === undefined) return "";
  if (origin.kind === "configuration") return " (extensions in config.yaml)";
  return ` of agent ${origin.agent} (${origin.path ?? "given in code"})`;
}
