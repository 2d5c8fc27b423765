// The MCP servers of families and the tools that runs get from them.

import { errorMessage } from "../../error-message.ts";
import { type Clock, systemClock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import type { Tool } from "../../tool/tool.ts";
import type { OnElicit } from "../elicitation/elicitation.ts";
import { createExtensionServer, type ExtensionServer } from "../server/extension-server.ts";
import { createExtensionTool } from "./extension-tool.ts";
import { describeLeftOut } from "../left-out.ts";
import type { ProcessEnvironment } from "../../source/process-environment.ts";
import { selectWanted } from "../server/list-tools.ts";
import { orAbort } from "../../source/or-abort.ts";
import { digestOf } from "../stored-extension.ts";
import { nameTools } from "./tool-naming.ts";

/** Options of {@link createExtensionHost}. */
export interface ExtensionHostOptions {
  /** Default: the system clock. */
  clock?: Clock;
  /**
   * The environment of Cadre. A server receives the variables that every command receives, and those named in its
   * `environmentKeys`.
   */
  environment: ProcessEnvironment;
  /** The absolute working directory of servers, which is also the root reported to them. */
  workspace: string;
  /** Asks the user a server's question. Absent: every question is declined. */
  onElicit?: OnElicit;
}

/** The tools of a run's extensions. */
export interface ExtensionOffer {
  tools: readonly Tool[];
  /** The name of each tool's extension, by the name of the tool. */
  extensionOf: ReadonlyMap<string, string>;
  /** The names of the unusable optional extensions; `warnings` gives the reasons. */
  leftOut: readonly string[];
  /** Warnings for the result: omitted or renamed tools, and patterns that match nothing. */
  warnings: readonly string[];
}

/** Starts and stops the MCP servers of families. */
export interface ExtensionHost {
  /**
   * Returns the tools of `configs` and starts the servers that this family lacks. Call it for each run,
   * before its first turn and after a resume. A later call also returns tools that a server has added.
   *
   * @throws CadreError `tool-unavailable` when a required server is unusable; the message names each such
   * server, what happened and what to do. CadreError `invalid-argument` for two extensions with one name, `closed` when
   * the family or the host was closed. Throws the reason of `signal` when it aborts.
   */
  acquire(
    rootId: string,
    configs: readonly ExtensionConfig[],
    signal?: AbortSignal,
  ): Promise<ExtensionOffer>;
  /** Stops the servers of an ended family with all their processes. Calls in progress become error outcomes. */
  release(rootId: string): Promise<void>;
  /** Releases every family. No server can be started afterwards. */
  close(): Promise<void>;
}

type Family = Map<string, ExtensionServer>;

/** Creates a host without servers. */
export function createExtensionHost(options: ExtensionHostOptions): ExtensionHost {
  const { clock = systemClock, environment, workspace, onElicit } = options;
  const resources = { clock, environment, workspace, onElicit };
  const families = new Map<string, Family>();
  let isClosed = false;

  function serverOf(family: Family, config: ExtensionConfig): ExtensionServer {
    // Configurations that differ only in these fields share a process.
    const {
      allow: _a,
      deny: _d,
      readOnly: _r,
      timeoutSeconds: _t,
      description: _n,
      optional: _o,
      ...launch
    } = config;
    const key = digestOf(launch);
    const known = family.get(key);
    if (known !== undefined) return known;
    const server = createExtensionServer(config, resources);
    family.set(key, server);
    return server;
  }

  async function release(rootId: string): Promise<void> {
    const family = families.get(rootId);
    families.delete(rootId);
    await Promise.all([...(family?.values() ?? [])].map((server) => server.close()));
  }

  return {
    async acquire(rootId, configs, signal = new AbortController().signal) {
      if (isClosed)
        throw new CadreError("closed", "Extensions cannot be started: Cadre was closed.");
      signal.throwIfAborted();
      refuseDuplicateNames(configs);
      if (configs.length === 0)
        return { tools: [], extensionOf: new Map(), leftOut: [], warnings: [] };
      const family = families.get(rootId) ?? new Map<string, ExtensionServer>();
      families.set(rootId, family);
      const wanted = configs.map((config) => ({ config, server: serverOf(family, config) }));
      return await orAbort(offer(wanted, clock), signal);
    },
    release,
    async close() {
      isClosed = true;
      await Promise.all([...families.keys()].map(release));
    },
  };
}

interface WantedServer {
  /** The configuration of one run. */
  config: ExtensionConfig;
  server: ExtensionServer;
}

async function offer(servers: readonly WantedServer[], clock: Clock): Promise<ExtensionOffer> {
  const answers = await Promise.allSettled(servers.map(listWanted));
  const outcomes = allOf(answers);
  const lists = outcomes.filter((outcome) => "wanted" in outcome);
  const leftOut = outcomes.filter((outcome) => "problem" in outcome);
  const offered = lists.flatMap(({ config, server, wanted }) =>
    wanted.tools.map((remote) => ({ config, server, remote })),
  );
  const names = nameTools(
    offered.map(({ config, remote }) => ({ extension: config.name, tool: remote.name })),
  );
  const tools = offered.map(({ config, server, remote }, index) =>
    createExtensionTool(server, remote, { name: names[index] ?? "", config, clock }),
  );
  const extensionOf = new Map(
    offered.map(({ config }, index) => [names[index] ?? "", config.name]),
  );
  return {
    tools,
    extensionOf,
    leftOut: leftOut.map(({ name }) => name),
    warnings: [
      ...leftOut.map(({ problem }) => problem),
      ...lists.flatMap(({ wanted }) => wanted.warnings),
    ],
  };
}

type ListedServer = WantedServer & { wanted: ReturnType<typeof selectWanted> };

async function listWanted({
  config,
  server,
}: WantedServer): Promise<ListedServer | { name: string; problem: string }> {
  try {
    return { config, server, wanted: selectWanted(await server.tools(), config) };
  } catch (error) {
    return { name: config.name, problem: describeLeftOut(config, error) };
  }
}

/** Returns all values, or throws one error for all failures, so that the user can correct them together. */
function allOf<Value>(results: readonly PromiseSettledResult<Value>[]): Value[] {
  const reasons = results.flatMap((result): unknown[] =>
    result.status === "rejected" ? [result.reason] : [],
  );
  const [first, ...others] = reasons;
  if (first === undefined) {
    return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  }
  if (others.length === 0 || !(first instanceof CadreError)) throw first;
  const messages = reasons.map(errorMessage);
  throw new CadreError(first.code, messages.join("\n"), { details: first.details, cause: first });
}

function refuseDuplicateNames(configs: readonly ExtensionConfig[]): void {
  const names = configs.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate === undefined) return;
  const message = `Expected the extensions of a run to have different names; two are called ${JSON.stringify(duplicate)}. Rename one.`;
  throw new CadreError("invalid-argument", message, { details: { extension: duplicate } });
}
