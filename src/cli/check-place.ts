import { homedir } from "node:os";
import type { ProjectPlace } from "../index.ts";

/** What a command checks files against; the errors of the configuration are findings of it. */
export async function createCheckPlace(trust: boolean): Promise<ProjectPlace> {
  const { createCadre, createTrust } = await import("../index.ts");
  const home = homedir();
  const known = createTrust({ home, environment: process.env });
  const cadre = await createCadre({ trust });
  const { configuration } = cadre;
  await cadre.close();
  const isTrusted = (path: string): boolean => trust || known.isTrusted(path);
  return { cwd: process.cwd(), home, environment: process.env, isTrusted, configuration };
}
