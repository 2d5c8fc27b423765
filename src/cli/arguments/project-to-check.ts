import { homedir } from "node:os";
import type { ProjectToCheck } from "../../host.ts";

/** Returns the project that a command checks files against; errors of its configuration become findings. */
export async function createProjectToCheck(trust: boolean): Promise<ProjectToCheck> {
  const { createCadre, createTrust } = await import("../../host.ts");
  const home = homedir();
  const known = createTrust({ home, environment: process.env });
  const cadre = await createCadre({ trust });
  const { configuration } = cadre;
  await cadre.close();
  const isTrusted = (path: string): boolean => trust || known.isTrusted(path);
  return { cwd: process.cwd(), home, environment: process.env, isTrusted, configuration };
}
