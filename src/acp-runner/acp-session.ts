import { CadreError } from "../errors.ts";
import type { AcpAgent } from "./acp-agent.ts";
import { chooseMode } from "./session-mode.ts";

/** A conversation with an agent. */
export interface AcpSession {
  id: string;
  /** It goes on where an earlier process left it. */
  isContinued: boolean;
  /** What the result should say about it. */
  warnings: string[];
}

/** What {@link openAcpSession} needs. */
export interface SessionWish {
  /** Absolute. */
  workspace: string;
  /** The session of an earlier process, to go on with where the agent can. */
  known: string | undefined;
  /** The ids of the agent's own modes that would do, the best first. */
  modes: readonly string[];
  /** Having none of these is worth a warning. */
  mustHave: boolean;
}

/**
 * Opens a session: the known one if the agent still has it, else a new one.
 *
 * @throws CadreError `model-unavailable` when it cannot, and as {@link AcpAgent.ask}.
 */
export async function openAcpSession(agent: AcpAgent, wish: SessionWish): Promise<AcpSession> {
  const { servers, warnings } = agent.offerServers;
  const place = { cwd: wish.workspace, mcpServers: servers };
  const taken = await takeUp(agent, place, wish.known);
  const answer = taken ?? (await agent.ask("session/new", place));
  const id = taken === undefined ? answer["sessionId"] : wish.known;
  if (typeof id !== "string" || id === "") {
    const message = `The runner answered session/new without the id of a session: ${JSON.stringify(answer).slice(0, 200)}`;
    throw new CadreError("model-unavailable", message);
  }
  const noted = await chooseMode(agent.ask, { ...wish, sessionId: id, answer });
  return { id, isContinued: taken !== undefined, warnings: [...warnings, ...noted] };
}

/** What the agent says of the known session, or `undefined` when it cannot take it up. */
async function takeUp(
  agent: AcpAgent,
  place: Record<string, unknown>,
  known: string | undefined,
): Promise<Record<string, unknown> | undefined> {
  const { takesUp } = agent.abilities;
  if (known === undefined || takesUp === null) return undefined;
  try {
    return await agent.ask(takesUp, { ...place, sessionId: known });
  } catch (error) {
    // It may have forgotten it. If it is the agent that is gone, the next question will say so.
    if (error instanceof CadreError) return undefined;
    throw error;
  }
}
