import { plainLine } from "../extension/plain-text.ts";
import { isRecord } from "../source/json.ts";

/** The capabilities that an agent declares. */
export interface AgentAbilities {
  /** The version of the protocol. */
  version: number | null;
  /** Its name and version; `null` when it declares none. */
  title: string | null;
  /** Whether the agent cannot recognise the error for a missing file and therefore gives up. */
  mistakesMissingFiles: boolean;
  takesImages: boolean;
  /** Whether it accepts MCP servers over HTTP. */
  takesHttp: boolean;
  /** The method that continues an earlier session, with or without a replay of its messages; `null` when unsupported. */
  resumeMethod: "session/resume" | "session/load" | null;
}

/** Parses the untrusted response to `initialize`. */
export function readAbilities(greeting: Record<string, unknown>): AgentAbilities {
  const { protocolVersion, agentCapabilities, agentInfo } = greeting;
  const { loadSession, promptCapabilities, mcpCapabilities, sessionCapabilities } =
    recordOf(agentCapabilities);
  const canResume = isRecord(recordOf(sessionCapabilities)["resume"]);
  return {
    version: typeof protocolVersion === "number" ? protocolVersion : null,
    title: readTitle(recordOf(agentInfo)),
    // Version 0.61 reads a file before it creates it, and gives up at any error.
    mistakesMissingFiles: recordOf(agentInfo)["name"] === "gemini-cli",
    takesImages: recordOf(promptCapabilities)["image"] === true,
    takesHttp: recordOf(mcpCapabilities)["http"] === true,
    resumeMethod: canResume ? "session/resume" : loadSession === true ? "session/load" : null,
  };
}

function readTitle({ title, name, version }: Record<string, unknown>): string | null {
  const words = [title ?? name, version].filter((word) => typeof word === "string");
  return plainLine(words.join(" "), 100) || null;
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
