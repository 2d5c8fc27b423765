// One MCP server of a family: its connection and its list of tools.

import type { Clock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import type { ActiveCall } from "../elicitation/active-call.ts";
import { connectHttp } from "../transport/connect-http.ts";
import { connectProcess } from "../transport/connect-process.ts";
import type { Connection, ConnectionResources } from "../transport/connection.ts";
import { nameExtension } from "../describe-extension.ts";
import { answerElicitation } from "../elicitation/answer-elicitation.ts";
import type { OnElicit } from "../elicitation/elicitation.ts";
import { keepConnection } from "../transport/keep-connection.ts";
import type { ProcessEnvironment } from "../../source/process-environment.ts";
import { redactionFor } from "../launch-config.ts";
import { listTools, type ToolList } from "./list-tools.ts";
import { plainText } from "../plain-text.ts";
import { errorMessage } from "../../error-message.ts";

/** A server of one family. It is started on demand, and restarted after it has ended. */
export interface ExtensionServer {
  config: ExtensionConfig;
  /** The server's name in messages, such as `MCP server github (command npx)`. */
  title: string;
  /** The calls in progress. */
  calls: Set<ActiveCall>;
  /**
   * Returns the open connection. Starts the server when there is none.
   *
   * @throws CadreError `tool-unavailable` when the server cannot be started; `closed` after `close`.
   */
  connection(): Promise<Connection>;
  /** Returns all tools that the server currently offers. Throws like `connection`. */
  tools(): Promise<ToolList>;
  /** Records that the server answered a call, which resets its restart limit. */
  noteAnswer(): void;
  /** Removes the server's secrets and invisible characters from a text. */
  redact(text: string): string;
  close(): Promise<void>;
}

/** The resources of a server in addition to its configuration. */
export interface ServerResources {
  clock: Clock;
  environment: ProcessEnvironment;
  workspace: string;
  onElicit: OnElicit | undefined;
}

/** Creates a server that starts at its first use. */
export function createExtensionServer(
  config: ExtensionConfig,
  resources: ServerResources,
): ExtensionServer {
  const title = nameExtension(config);
  const redaction = redactionFor(config, resources.environment);
  const redact = (text: string): string => redaction(plainText(text));
  const calls = new Set<ActiveCall>();
  /** The tools of one connection, until the server reports a change. */
  let list: { connection: Connection; tools: Promise<ToolList> } | undefined;
  const onToolsChanged = (): void => {
    list = undefined;
  };
  const kept = keepConnection({
    clock: resources.clock,
    connect: createConnect(config, { resources, calls, onToolsChanged }),
  });

  /** Converts every error to one that names the server and says what to do. */
  async function orExplain<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof CadreError) throw error;
      throw unavailable(config, redact(errorMessage(error)));
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
  server: {
    resources: ServerResources;
    calls: ReadonlySet<ActiveCall>;
    onToolsChanged: () => void;
  },
): (signal: AbortSignal) => Promise<Connection> {
  const { calls, onToolsChanged } = server;
  const { environment, workspace, onElicit } = server.resources;
  return (signal) => {
    const resources: ConnectionResources = {
      environment,
      workspace,
      signal,
      onToolsChanged,
      onElicit: (params, asked) =>
        answerElicitation(params, { extension: config.name, calls, onElicit, signal: asked }),
    };
    return config.type === "stdio"
      ? connectProcess(config, resources)
      : connectHttp(config, resources);
  };
}

function unavailable(config: ExtensionConfig, problem: string): CadreError {
  const title = nameExtension(config);
  const fix =
    config.type === "stdio"
      ? "Run its command by hand to see more, and correct its entry among the extensions"
      : "Check that it runs, and correct its entry among the extensions";
  const message = `The ${title} cannot be used: ${problem.trim().replace(/[.\s]*$/, ".")}\n${fix}.`;
  return new CadreError("tool-unavailable", message, { details: { extension: config.name } });
}
