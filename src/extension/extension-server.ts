import type { Clock } from "../clock.ts";
import { CadreError } from "../errors.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";
import type { ActiveCall } from "./active-call.ts";
import { connectHttp } from "./connect-http.ts";
import { connectProcess } from "./connect-process.ts";
import type { Connection, ConnectPlace } from "./connection.ts";
import { nameExtension } from "./describe-extension.ts";
import { answerElicitation, type OnElicit } from "./elicitation.ts";
import { keepConnection } from "./keep-connection.ts";
import { type Environment, redactionFor } from "./launch-config.ts";
import { listTools, type ToolList } from "./list-tools.ts";
import { plainText } from "./plain-text.ts";

/** One server of one family: started when it is needed, and again when it ended. */
export interface ExtensionServer {
  config: ExtensionConfig;
  /** For messages, as in `MCP server github (command npx)`. */
  title: string;
  /** The calls under way. */
  calls: Set<ActiveCall>;
  /**
   * The living connection; starts the server when there is none.
   *
   * @throws CadreError `tool-unavailable` that says why there is none; `closed` after `close`.
   */
  connection(): Promise<Connection>;
  /** All that the server offers now. Throws like `connection`. */
  tools(): Promise<ToolList>;
  /** A call was answered: the server works. */
  noteAnswer(): void;
  /** Takes what the server was given, and what is not seen, out of a text. */
  redact(text: string): string;
  close(): Promise<void>;
}

/** What a server needs besides its configuration. */
export interface ServerPlace {
  clock: Clock;
  environment: Environment;
  workspace: string;
  startTimeoutMs: number;
  onElicit: OnElicit | undefined;
}

/** Prepares a server; it is started by the first who needs it. */
export function createExtensionServer(
  config: ExtensionConfig,
  place: ServerPlace,
): ExtensionServer {
  const title = nameExtension(config);
  const redaction = redactionFor(config, place.environment);
  const redact = (text: string): string => redaction(plainText(text));
  const calls = new Set<ActiveCall>();
  /** Of one connection, until the server says that it changed. */
  let list: { connection: Connection; tools: Promise<ToolList> } | undefined;
  const onToolsChanged = (): void => {
    list = undefined;
  };
  const kept = keepConnection({
    clock: place.clock,
    startTimeoutMs: place.startTimeoutMs,
    connect: createConnect(config, { place, calls, onToolsChanged }),
  });

  /** Says for all that goes wrong which server it is, and what to do. */
  async function orExplain<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof CadreError) throw error;
      throw unavailable(config, redact(error instanceof Error ? error.message : String(error)));
    }
  }

  return {
    config,
    title,
    calls,
    redact,
    connection: () => orExplain(kept.get()),
    async tools() {
      const connection = await orExplain(kept.get());
      if (list?.connection !== connection) {
        list = { connection, tools: listTools(connection.client, config.name) };
        list.tools.catch(onToolsChanged);
      }
      return await orExplain(list.tools);
    },
    noteAnswer: kept.noteAnswer,
    close: () =>
      kept.close(new CadreError("closed", `The ${title} was stopped: its family has ended.`)),
  };
}

function createConnect(
  config: ExtensionConfig,
  server: { place: ServerPlace; calls: ReadonlySet<ActiveCall>; onToolsChanged: () => void },
): (signal: AbortSignal) => Promise<Connection> {
  const { calls, onToolsChanged } = server;
  const { environment, workspace, onElicit } = server.place;
  return (signal) => {
    const place: ConnectPlace = {
      environment,
      workspace,
      signal,
      onToolsChanged,
      onElicit: (params, asked) =>
        answerElicitation(params, { extension: config.name, calls, onElicit, signal: asked }),
    };
    return config.type === "stdio" ? connectProcess(config, place) : connectHttp(config, place);
  };
}

function unavailable(config: ExtensionConfig, problem: string): CadreError {
  const title = nameExtension(config);
  const fix =
    config.type === "stdio"
      ? "Run its command by hand to see more, and correct its entry among the extensions"
      : "Check that it runs, and correct its entry among the extensions";
  const message = `The ${title} cannot be used: ${problem.trim()}\n${fix}.`;
  return new CadreError("tool-unavailable", message, { details: { extension: config.name } });
}
