import { CadreError, type CadreOptions, createCadre, type RunHandle } from "../../host.ts";

/**
 * Copies the conversation whose latest turn is `runId` and returns the only run of the copy. Executes nothing: the turn has
 * ended, and its steps are recorded.
 *
 * @throws CadreError `invalid-argument` when the latest turn has not succeeded, because its copy would continue at once.
 */
export async function forkConversation(runId: string, options: CadreOptions): Promise<string> {
  await using cadre = await createCadre(options);
  const run = await cadre.find(runId);
  const { status } = await run.state();
  if (status !== "succeeded") {
    const message = `Expected a session whose latest turn has succeeded; it is ${status}. Send a prompt, wait for its end, and fork the session then.`;
    throw new CadreError("invalid-argument", message);
  }
  const copy: RunHandle = await cadre.fork(runId, { at: "end" });
  await copy.result();
  return copy.id;
}
