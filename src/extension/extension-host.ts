import { type Clock, systemClock } from "../clock.ts";
import { CadreError } from "../errors.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";
import type { Tool } from "../tool/tool.ts";
import type { OnElicit } from "./elicitation.ts";
import { createExtensionServer, type ExtensionServer } from "./extension-server.ts";
import { createExtensionTool } from "./extension-tool.ts";
import { describeLeftOut } from "./left-out.ts";
import type { Environment } from "./launch-config.ts";
import { selectWanted } from "./list-tools.ts";
import { orAbort } from "../source/or-abort.ts";
import { digestOf } from "./stored-extension.ts";
import { nameTools } from "./tool-naming.ts";

/** What {@link createExtensionHost} needs. */
export interface ExtensionHostOptions {
  /** Default: the machine's. */
  clock?: Clock;
  /** Cadre's own. Servers get of it what every command gets, and what they name in `environmentKeys`. */
  environment: Environment;
  /** Absolute; where servers start, and the root they are told. */
  workspace: string;
  /** Puts a server's question to the user. Absent: every question is declined. */
  onElicit?: OnElicit;
  /** How long a server may take to start and to answer the greeting. Default 60,000; `npx` may have to download first. */
  startTimeoutMs?: number;
}

/** The tools a run gets from its extensions. */
export interface ExtensionOffer {
  tools: readonly Tool[];
  /** The extension that each of them is from, by its name. */
  extensionOf: ReadonlyMap<string, string>;
  /** The names of optional extensions that cannot be used; `warnings` says why. */
  leftOut: readonly string[];
  /** What its result should warn about: tools that were left out or renamed, patterns that match nothing. */
  warnings: readonly string[];
}

/** Starts the MCP servers of families, and stops them. */
export interface ExtensionHost {
  /**
   * The tools of `configs`, whose servers are started when they are not running for this family yet. Call it for each run,
   * before its first turn and after a resume; a later call also sees tools that a server added meanwhile.
   *
   * @throws CadreError `tool-unavailable` when any of the servers that are not optional cannot be used. The message names
   * each, what happened and what to do. CadreError `invalid-argument` for two of the same name,
   * `closed` when the family or the host was closed meanwhile. The reason of `signal` when that aborts.
   */
  acquire(
    rootId: string,
    configs: readonly ExtensionConfig[],
    signal?: AbortSignal,
  ): Promise<ExtensionOffer>;
  /** Stops the servers of a family, with everything they started. Calls under way become error outcomes. Call it when the family has ended. */
  release(rootId: string): Promise<void>;
  /** Releases every family; nothing is started after it. */
  close(): Promise<void>;
}

type Family = Map<string, ExtensionServer>;

/** Makes a host that runs nothing yet. */
export function createExtensionHost(options: ExtensionHostOptions): ExtensionHost {
  const { clock = systemClock, environment, workspace, onElicit } = options;
  const place = {
    clock,
    environment,
    workspace,
    onElicit,
    startTimeoutMs: options.startTimeoutMs ?? 60_000,
  };
  const families = new Map<string, Family>();
  let isClosed = false;

  function serverOf(family: Family, config: ExtensionConfig): ExtensionServer {
    // What only decides about its tools needs no process of its own.
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
    const server = createExtensionServer(config, place);
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
      refuseTwins(configs);
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
  /** What one run wants of it. */
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

/** The values, or one failure for all that failed, so that they are corrected at once. */
function allOf<Value>(results: readonly PromiseSettledResult<Value>[]): Value[] {
  const reasons = results.flatMap((result): unknown[] =>
    result.status === "rejected" ? [result.reason] : [],
  );
  const [first, ...others] = reasons;
  if (first === undefined) {
    return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  }
  if (others.length === 0 || !(first instanceof CadreError)) throw first;
  const messages = reasons.map((reason) =>
    reason instanceof Error ? reason.message : String(reason),
  );
  throw new CadreError(first.code, messages.join("\n"), { details: first.details, cause: first });
}

function refuseTwins(configs: readonly ExtensionConfig[]): void {
  const names = configs.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin === undefined) return;
  const message = `Expected the extensions of a run to have different names; two are called ${JSON.stringify(twin)}. Rename one.`;
  throw new CadreError("invalid-argument", message, { details: { extension: twin } });
}
