import { plainLine } from "../extension/plain-text.ts";
import { isRecord } from "../source/json.ts";

/** What an agent can do, as it says. */
export interface AgentAbilities {
  /** Of the protocol. */
  version: number | null;
  /** What it calls itself, with its version; `null` when it does not. */
  title: string | null;
  /** Its client of the protocol hands on what is wrong in a form that the program cannot tell a missing file by. */
  mistakesMissingFiles: boolean;
  takesImages: boolean;
  /** MCP servers over HTTP. */
  takesHttp: boolean;
  /** How it takes up a session of an earlier process: without telling it again, by telling it again, or not at all. */
  takesUp: "session/resume" | "session/load" | null;
}

/** Reads the answer to the greeting, whose shape is not taken for granted. */
export function readAbilities(greeting: Record<string, unknown>): AgentAbilities {
  const { protocolVersion, agentCapabilities, agentInfo } = greeting;
  const { loadSession, promptCapabilities, mcpCapabilities, sessionCapabilities } =
    recordOf(agentCapabilities);
  const canResume = isRecord(recordOf(sessionCapabilities)["resume"]);
  return {
    version: typeof protocolVersion === "number" ? protocolVersion : null,
    title: readTitle(recordOf(agentInfo)),
    // It reads what it is about to create, and gives up at any error (version 0.61).
    mistakesMissingFiles: recordOf(agentInfo)["name"] === "gemini-cli",
    takesImages: recordOf(promptCapabilities)["image"] === true,
    takesHttp: recordOf(mcpCapabilities)["http"] === true,
    takesUp: canResume ? "session/resume" : loadSession === true ? "session/load" : null,
  };
}

function readTitle({ title, name, version }: Record<string, unknown>): string | null {
  const words = [title ?? name, version].filter((word) => typeof word === "string");
  return plainLine(words.join(" "), 100) || null;
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
