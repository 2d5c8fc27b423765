// Extensions: MCP servers that provide tools to runs. Configures, starts and calls them.

import type { ProcessEnvironment } from "../source/process-environment.ts";
import { tmpdir } from "node:os";
import { CadreError } from "../errors.ts";
import type { ExtensionConfig, HttpExtension, StdioExtension } from "../run/extension-config.ts";
import { commandEnvironment } from "../tool/process/command-environment.ts";
import { createRedaction, findSecretArguments, findSecretsInUrl } from "../source/redact.ts";

/** The command of a server, with all variables replaced. */
export interface ProcessLaunch {
  command: string;
  args: readonly string[];
  environment: Record<string, string>;
}

/** The URL and headers of a server, with all variables replaced. */
export interface HttpLaunch {
  url: URL;
  headers: Headers;
}

/**
 * Returns the command of an extension with its environment: the variables that every command inherits, `environment` of
 * the configuration, and the variables in `environmentKeys`. `${NAME}` in an argument is replaced if `environmentKeys`
 * names it. In a recipe nothing is replaced.
 *
 * @throws CadreError `tool-unavailable` for a variable that is not set.
 */
export function processLaunch(config: StdioExtension, source: ProcessEnvironment): ProcessLaunch {
  const variables = namedVariables(config, source);
  const environment = commandEnvironment(source, {
    passed: [],
    temporary: source["TMPDIR"] ?? tmpdir(),
  });
  const isLiteral = config.format === "recipe";
  const written = Object.entries(config.environment ?? {}).map(([name, value]) => [
    name,
    isLiteral ? value : replaceAll(config, `environment.${name}`, value, variables),
  ]);
  return {
    command: config.command,
    args: isLiteral ? config.args : config.args.map((arg) => replaceKnown(arg, variables)),
    environment: {
      ...environment,
      ...Object.fromEntries(variables),
      ...Object.fromEntries(written),
    },
  };
}

/**
 * Returns the URL and headers of an extension, with `${NAME}` replaced by the variables in `environmentKeys`.
 *
 * @throws CadreError `tool-unavailable` for a variable that is not set or not in `environmentKeys`, an invalid URL, or
 * an invalid header.
 */
export function httpLaunch(config: HttpExtension, source: ProcessEnvironment): HttpLaunch {
  const variables = namedVariables(config, source);
  const { url: urlKey } = keysOf(config);
  const address = replaceAll(config, urlKey, config.url, variables);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw unavailable(config, `expected its ${urlKey} to be an http or https URL. Correct it`);
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(config.headers ?? {})) {
    const replaced = replaceAll(config, `headers.${name}`, value, variables);
    try {
      headers.set(name, replaced);
    } catch {
      // The original error would quote the value.
      throw unavailable(
        config,
        `its header ${JSON.stringify(name)} has a name or value that cannot be sent. Correct it`,
      );
    }
  }
  // fetch refuses a URL with a login, so it is sent as a header.
  if (url.username !== "" && !headers.has("authorization")) {
    const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.set("authorization", `Basic ${Buffer.from(login).toString("base64")}`);
  }
  url.username = "";
  url.password = "";
  return { url, headers };
}

/** Creates a function that redacts the values that an extension receives. */
export function redactionFor(
  config: ExtensionConfig,
  source: ProcessEnvironment,
): (text: string) => string {
  const written = config.type === "stdio" ? config.environment : config.headers;
  const inCommand =
    config.type === "stdio" ? findSecretArguments(config.args) : findSecretsInUrl(config.url);
  const named = (config.environmentKeys ?? []).flatMap((name) => source[name] ?? []);
  const values = Object.values(written ?? {});
  // In `Bearer TOKEN`, the token alone is a secret too; `Bearer` is not.
  const words = values
    .flatMap((value) => value.split(/\s+/))
    .filter((word) => !/^(?:bearer|basic|digest|token)$/i.test(word));
  return createRedaction([...named, ...values, ...words, ...inCommand]);
}

function namedVariables(config: ExtensionConfig, source: ProcessEnvironment): Map<string, string> {
  const names = config.environmentKeys ?? [];
  const missing = names.filter((name) => source[name] === undefined);
  const { environmentKeys } = keysOf(config);
  if (missing.length > 0) {
    throw unavailable(
      config,
      missing.length === 1
        ? `it needs a variable that is not set: ${missing.join()}. Set it in the environment of Cadre, or remove it from its ${environmentKeys}`
        : `it needs variables that are not set: ${missing.join(", ")}. Set them in the environment of Cadre, or remove them from its ${environmentKeys}`,
    );
  }
  return new Map(names.map((name) => [name, source[name] ?? ""]));
}

const variable = /\$\{([A-Za-z_]\w*)\}/g;

function replaceKnown(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(variable, (whole, name: string) => variables.get(name) ?? whole);
}

function replaceAll(
  config: ExtensionConfig,
  place: string,
  text: string,
  variables: ReadonlyMap<string, string>,
): string {
  return text.replaceAll(variable, (_, name: string) => {
    const value = variables.get(name);
    if (value !== undefined) return value;
    const { environmentKeys } = keysOf(config);
    const fix = `Add ${name} to its ${environmentKeys}`;
    throw unavailable(
      config,
      `\${${name}} in its ${place} is not one of its ${environmentKeys}. ${fix}`,
    );
  });
}

/** Returns the names of the fields in the source format. */
function keysOf({ format }: ExtensionConfig): { environmentKeys: string; url: string } {
  return format === "recipe"
    ? { environmentKeys: "env_keys", url: "uri" }
    : { environmentKeys: "environmentKeys", url: "url" };
}

function unavailable({ name }: ExtensionConfig, problem: string): CadreError {
  const message = `The MCP server ${name} cannot be used: ${problem}.`;
  return new CadreError("tool-unavailable", message, { details: { extension: name } });
}
