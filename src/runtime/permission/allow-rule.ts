import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument, YAMLMap, YAMLSeq } from "yaml";
import { CadreError } from "../../errors.ts";
import { writeAtomically } from "../../tool/control-file/atomic-write.ts";
import { realPathOf } from "../../source/file/real-path.ts";
import { projectFolders } from "../../source/file/project-root.ts";

/** The configuration that stores a rule: the user's, or that of one project. */
export interface RuleLocation {
  scope: "user" | "project";
  /** Absolute. */
  cwd: string;
  /** The user's home folder, absolute. */
  home: string;
}

/**
 * Adds an allow rule to a configuration file, with a comment that gives the date. The rest of the file keeps its form. Returns
 * the file's path.
 * path.
 *
 * @throws CadreError `config-invalid` for an invalid file, which stays as it is.
 */
export async function addAllowRule(
  rule: string,
  location: RuleLocation,
  now: Date = new Date(),
): Promise<string> {
  const path = realPathOf(findFile(location));
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw unreadable(path, error.message);
  if (document.contents === null) document.contents = document.createNode({}) as never;
  if (!(document.contents instanceof YAMLMap))
    throw unreadable(path, "it is not a map of settings");
  const rules: unknown = document.getIn(["permissions", "allow"]);
  const list = rules instanceof YAMLSeq ? rules : new YAMLSeq();
  if (rules !== undefined && rules !== null && list !== rules) {
    throw unreadable(path, "permissions.allow is not a list");
  }
  if (list.toJSON().includes(rule)) return path;
  const node = document.createNode(rule);
  node.comment = ` allowed on ${now.toISOString().slice(0, 10)}`;
  // A flow list in brackets has no room for comments.
  list.flow = false;
  list.add(node);
  if (list !== rules) document.setIn(["permissions", "allow"], list);
  const permissions: unknown = document.get("permissions");
  if (permissions instanceof YAMLMap) permissions.flow = false;
  // A command that runs in this process at the same time is not blamed for the change.
  await writeAtomically(path, document.toString());
  return path;
}

/** Returns the project's nearest file, or else a new one in the folder. */
function findFile({ scope, cwd, home }: RuleLocation): string {
  const file = join(".cadre", "config.yaml");
  if (scope === "user") return join(home, file);
  const folders = projectFolders({ cwd, home });
  return join(folders.find((one) => existsSync(join(one, file))) ?? cwd, file);
}

function unreadable(path: string, problem: string): CadreError {
  const message = `The rule was not added to ${path}: ${problem}. Correct the file, or add the rule to permissions.allow by hand.`;
  return new CadreError("config-invalid", message, { details: { path } });
}
