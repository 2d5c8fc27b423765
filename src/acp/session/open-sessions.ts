import { sessionNotFound } from "./protocol-error.ts";
import { createSession, type Session } from "./session.ts";
import type { SessionSetup } from "./session-cadre.ts";

/** The open sessions of a connection. */
export interface OpenSessions {
  get(id: string): Session | undefined;
  /** Returns a session. @throws RequestError when it is not open. */
  find(id: string): Session;
  add(session: Pick<SessionSetup, "id" | "cwd" | "extensions">): Session;
  /** Cancels the turn in progress, waits for its end, and closes the session. */
  close(request: { sessionId: string }): Promise<void>;
  /** Closes a session that is being opened again; its turn continues there. */
  leave(id: string): Promise<void>;
  /** Closes all sessions. Turns in progress are left for a resume. */
  end(): Promise<void>;
}

/** Creates the list, initially empty. */
export function createOpenSessions(
  setup: Pick<SessionSetup, "editor" | "options" | "log">,
): OpenSessions {
  const open = new Map<string, Session>();
  const take = (id: string): Session | undefined => {
    const session = open.get(id);
    open.delete(id);
    return session;
  };
  return {
    get: (id) => open.get(id),
    find(id) {
      const session = open.get(id);
      if (session === undefined) throw sessionNotFound(id);
      return session;
    },
    add(given) {
      const session = createSession({ ...setup, ...given });
      open.set(given.id, session);
      return session;
    },
    async close({ sessionId }) {
      const session = take(sessionId);
      session?.cancel();
      await session?.idle();
      await session?.close();
    },
    leave: async (id) => await take(id)?.close(),
    async end() {
      await Promise.all([...open.values()].map(async (session) => await session.close()));
    },
  };
}
