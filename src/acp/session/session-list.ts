import { wrongValue } from "./session-options.ts";
import { unusedOf } from "./unused-sessions.ts";
import {
  type Cadre,
  CadreError,
  type CadreOptions,
  type Conversation,
  createCadre,
  realPathOf,
} from "../../host.ts";

/** A page of a project's sessions, latest first. */
export interface SessionList {
  sessions: { sessionId: string; cwd: string; title: string; updatedAt: string }[];
  /** The cursor of the next page; absent on the last page. */
  nextCursor?: string;
}

/** The number of sessions on a page. */
const pageSize = 100;

/**
 * Lists the sessions that have a turn.
 *
 * @throws CadreError `invalid-argument` for a cursor that did not come from a list.
 */
export async function readSessionList(
  { cwd, cursor }: { cwd?: string | null; cursor?: string | null },
  options: CadreOptions,
): Promise<SessionList> {
  const folder = cwd ?? options.cwd ?? process.cwd();
  const start = cursor === undefined || cursor === null ? 0 : Number(cursor);
  if (!/^\d{1,9}$/.test(cursor ?? "0")) {
    throw wrongValue("cursor", "the nextCursor of a list", String(cursor));
  }
  await using cadre = await createCadre({ ...options, cwd: folder });
  const end = start + pageSize;
  const found = await cadre.conversations({ limit: end + 1 });
  const listed = await Promise.all(
    found.slice(start, end).map(async (one) => {
      const place = await readFolder(cadre, one);
      const { id, title, lastActivityAt } = one;
      return { id, title, lastActivityAt, cwd: place === realPathOf(folder) ? folder : place };
    }),
  );
  const ofFolder = listed.filter((one) => typeof cwd !== "string" || one.cwd === folder);
  const sessions = ofFolder.map(({ id, cwd: place, title, lastActivityAt }) => ({
    sessionId: id,
    cwd: place,
    title,
    updatedAt: new Date(lastActivityAt).toISOString(),
  }));
  return { sessions, ...(found.length > end && { nextCursor: String(end) }) };
}

/** Returns the absolute folder of a session, with symlinks resolved. */
async function readFolder(cadre: Cadre, { lastRunId }: Conversation): Promise<string> {
  for await (const event of (await cadre.find(lastRunId)).events()) {
    if (event.type === "run-created") return event.spec.workspace;
  }
  throw new CadreError("run-not-found", `There is no run ${lastRunId}.`);
}

/**
 * Checks that a session is opened in its own folder.
 *
 * @throws CadreError `invalid-argument` for a session of another folder.
 */
export async function checkFolder(
  cadre: Cadre,
  conversation: Conversation,
  cwd: string,
): Promise<void> {
  const folder = await readFolder(cadre, conversation);
  if (folder === realPathOf(cwd)) return;
  throw wrongValue("cwd", `${folder}, the folder of the session ${conversation.id}`, cwd);
}

/**
 * Returns the conversation of a session; `undefined` for a session without a turn.
 *
 * @throws CadreError `run-not-found` when there is no such session.
 */
export async function findSessionConversation(
  cadre: Cadre,
  sessionId: string,
): Promise<Conversation | undefined> {
  try {
    const [found] = await cadre.conversations({ run: sessionId });
    return found;
  } catch (error) {
    if (await unusedOf(cadre).has(sessionId)) return undefined;
    throw error;
  }
}
