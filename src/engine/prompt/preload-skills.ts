import { findMissingSkills } from "../../agent/definition/find-missing.ts";
import { readSkill } from "../../tool/skill/skill.ts";
import type { RunContext } from "../run-context/run-context.ts";

/**
 * Reads the skills that a definition names, for its instructions. They are recorded, because files change. A missing skill causes
 * a warning.
 */
export async function preloadSkills(run: RunContext): Promise<readonly string[]> {
  const { definition, steps, prefix, warnings } = run;
  const { skills: names = [] } = definition;
  if (names.length === 0) return [];
  const step = { key: `${prefix}skills`, kind: "note" } as const;
  const { texts, missing } = await steps.do(step, async () => ({
    value: await read(run, names),
  }));
  for (const message of missing) warnings.add(message);
  return texts;
}

async function read(
  { findSkills, definition }: RunContext,
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
