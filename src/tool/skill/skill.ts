// Skills: finds folders with a SKILL.md and offers them to agents.

import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { isInside } from "../../source/file/real-path.ts";
import { capOutput } from "../output/output-cap.ts";
import { readWhole } from "../path/regular-file.ts";
import { readSkillHeader, skillFolders } from "./skill-header.ts";
import { createTool, type Tool } from "../tool.ts";

/** Instructions for a kind of task: a folder with a `SKILL.md`. */
export interface Skill {
  /** The folder's name. */
  name: string;
  /** When to use it, from the frontmatter; empty when the file has none. */
  description: string;
  /** Absolute, symlinks resolved. */
  folder: string;
}

const descriptionCharacters = 300;

/** Finds the skills of a project and a home folder. The project's come first; the first skill with a name wins. */
export async function findSkills(workspace: string, home: string): Promise<Skill[]> {
  const found = new Map<string, Skill>();
  for (const [root, isProject] of [
    [workspace, true],
    [home, false],
  ] as const) {
    for (const place of skillFolders) {
      for (const skill of await skillsIn(join(root, place), isProject ? root : null)) {
        if (!found.has(skill.name)) found.set(skill.name, skill);
      }
    }
  }
  return [...found.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}

const input = z.object({ skill: z.string().describe("The skill's name") });

/** Creates the `Skill` tool for `skills`. */
export function createSkillTool(skills: readonly Skill[]): Tool {
  return createTool({
    name: "Skill",
    description: describeSkills(skills),
    access: "read",
    input,
    describe({ skill }) {
      const folder = skills.find(({ name }) => name === skill)?.folder;
      return {
        title: `Skill ${skill}`,
        subject: skill,
        paths: folder === undefined ? [] : [join(folder, "SKILL.md")],
      };
    },
    async execute({ skill }, context) {
      const found = skills.find(({ name }) => name === skill);
      if (found === undefined) {
        const names = skills.map(({ name }) => name).join(", ") || "none";
        throw new CadreError(
          "tool-failed",
          `There is no skill ${JSON.stringify(skill)}. Available skills: ${names}.`,
        );
      }
      return { text: await capOutput(await readSkill(found), context) };
    },
  });
}

function describeSkills(skills: readonly Skill[]): string {
  const list = skills.map(
    ({ name, description }) => `- ${name}: ${description.slice(0, descriptionCharacters)}`,
  );
  const what =
    "Loads a skill: instructions for a kind of task. Use one when its description fits the task.";
  return `${what}\n\n${list.length === 0 ? "No skills are available." : `Skills:\n${list.join("\n")}`}`;
}

/**
 * Returns the whole text of a skill, with a first line that names the folder of its files.
 *
 * @throws CadreError `tool-failed` when it no longer exists.
 */
export async function readSkill({ name, folder }: Skill): Promise<string> {
  const { content } = await readWhole(join(folder, "SKILL.md"));
  const { body } = readSkillHeader(content.toString("utf8"));
  return `Skill ${name}, files in ${folder}:\n\n${body.trim()}`;
}

async function skillsIn(folder: string, root: string | null): Promise<Skill[]> {
  const names: string[] = await readdir(folder).catch(() => []);
  const skills = await Promise.all(names.map((name) => toSkill(join(folder, name), name, root)));
  return skills.filter((skill) => skill !== null);
}

/** Reads a skill; `null` for an invalid one, and for a project's symlink out of the project. */
async function toSkill(path: string, name: string, root: string | null): Promise<Skill | null> {
  const folder = await realpath(path).catch(() => null);
  if (folder === null || (root !== null && !isInside(folder, root))) return null;
  const file = await readWhole(join(folder, "SKILL.md")).catch(() => null);
  if (file === null) return null;
  const { description } = readSkillHeader(file.content.toString("utf8"));
  return { name, description, folder };
}
