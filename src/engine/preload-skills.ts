import { findMissingSkills } from "../agent/missing/find-missing.ts";
import { readSkill } from "../tool/skill.ts";
import type { Session } from "./session.ts";

/** The skills a definition names, whole, for its instructions; recorded, because files change. Those that are not there are warned about. */
export async function preloadSkills(session: Session): Promise<readonly string[]> {
  const { definition, steps, prefix, warnings } = session;
  const { skills: names = [] } = definition;
  if (names.length === 0) return [];
  const step = { key: `${prefix}skills`, kind: "note" } as const;
  const { texts, missing } = await steps.do(step, async () => ({
    value: await read(session, names),
  }));
  for (const message of missing) warnings.add(message);
  return texts;
}

async function read(
  { findSkills, definition }: Session,
  names: readonly string[],
): Promise<{ texts: string[]; missing: string[] }> {
  const found = await findSkills();
  const texts: string[] = [];
  for (const name of new Set(names)) {
    const skill = found.find((one) => one.name === name);
    if (skill !== undefined) texts.push(await readSkill(skill));
  }
  const known = found.map(({ name }) => name);
  return { texts, missing: findMissingSkills(definition, known).map(({ message }) => message) };
}
