import { CadreError } from "../errors.ts";
import type { AcpAgent } from "./acp-agent.ts";
import { chooseMode } from "./session-mode.ts";

/** A conversation with an agent. */
export interface AcpSession {
  id: string;
  /** Whether the session of an earlier process is continued. */
  isContinued: boolean;
  /** Warnings for the result. */
  warnings: string[];
}

/** Options of {@link openAcpSession}. */
export interface AcpSessionOptions {
  /** An absolute path. */
  workspace: string;
  /** The session of an earlier process, which is continued if the agent supports it. */
  known: string | undefined;
  /** The ids of acceptable modes of the agent, in order of preference. */
  modes: readonly string[];
  /** Whether an agent without any of the modes causes a warning. */
  mustHave: boolean;
}

/**
 * Continues the known session if the agent still has it, or else opens a new one.
 *
 * @throws CadreError `model-unavailable` when the agent opens no session, and the errors of {@link AcpAgent.ask}.
 */
export async function openAcpSession(
  agent: AcpAgent,
  options: AcpSessionOptions,
): Promise<AcpSession> {
  const { servers, warnings } = agent.offerServers;
  const session = { cwd: options.workspace, mcpServers: servers };
  const continued = await continueSession(agent, session, options.known);
  const answer = continued ?? (await agent.ask("session/new", session));
  const id = continued === undefined ? answer["sessionId"] : options.known;
  if (typeof id !== "string" || id === "") {
    const message = `The runner answered session/new without the id of a session: ${JSON.stringify(answer).slice(0, 200)}`;
    throw new CadreError("model-unavailable", message);
  }
  const noted = await chooseMode(agent.ask, { ...options, sessionId: id, answer });
  return { id, isContinued: continued !== undefined, warnings: [...warnings, ...noted] };
}

/** Continues the known session. Returns the agent's response; `undefined` when the session cannot be continued. */
async function continueSession(
  agent: AcpAgent,
  place: Record<string, unknown>,
  known: string | undefined,
): Promise<Record<string, unknown> | undefined> {
  const { resumeMethod } = agent.abilities;
  if (known === undefined || resumeMethod === null) return undefined;
  try {
    return await agent.ask(resumeMethod, { ...place, sessionId: known });
  } catch (error) {
    // The agent may have lost the session. If the agent has ended, the next request fails.
    if (error instanceof CadreError) return undefined;
    throw error;
  }
}
