import { nearest } from "../source/nearest.ts";

/** The variables that are settings, with the keys of these. */
export const environmentSettings: Readonly<Record<string, string>> = {
  CADRE_MODEL: "model",
  CADRE_MODE: "permissions.mode",
  CADRE_STATE_DIR: "stateDir",
  CADRE_REGISTRY_URL: "registry.url",
  CADRE_REGISTRY_SCHEMA: "registry.schema",
  CADRE_ENGINE: "engine",
};

/** All variables that users set. A test compares these and {@link internal} with the sources. */
const known = [
  ...Object.keys(environmentSettings),
  "CADRE_DEBUG",
  "CADRE_MCP_TOKEN",
  "CADRE_SERVE_TOKEN",
];

/** Variables that Cadre sets for the processes it starts, which may start Cadre again. */
const internal = new Set(["CADRE_OWNER", "CADRE_RUN_STEP", "CADRE_SUPERVISOR"]);

const prefix = "CADRE_";

/**
 * Describes the variables that Cadre ignores although their names begin with `CADRE_`, one text each. `used` is text in which users
 * name variables of their own, such as the configuration.
 */
export function describeUnknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  used = "",
): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !used.includes(name))
    .filter((name) => !known.includes(name) && !internal.has(name))
    .map((name) => {
      const maxEdits = Math.max(1, Math.floor((name.length - prefix.length) / 3));
      const near = nearest(name, known, maxEdits);
      const hint = near === null ? `It knows ${known.join(", ")}.` : `Did you mean ${near}?`;
      return `Cadre does not know the environment variable ${name}, so it has no effect. ${hint}`;
    });
}
