import { isAbsolute, join, resolve } from "node:path";
import { CadreError } from "../../../errors.ts";
import { isInside, realPathOf } from "../../../source/file/real-path.ts";
import { openRepository } from "../open-repository.ts";
import { readGitSetting } from "../run-git.ts";

/** The address of another repository. */
export interface RemoteAddress {
  /** As configured. It may contain a password. */
  url: string;
  /** Without user name and password; safe to store. */
  shared: string;
}

/**
 * Reads the address of a remote from the configuration of the repository that contains `folder`. `name` is the name of a remote,
 * or an address.
 *
 * @throws CadreError `tool-unavailable` without a repository or such a remote, `invalid-argument` for an address that Cadre does
 * not support.
 */
export async function readRemote(folder: string, name: string): Promise<RemoteAddress> {
  const { folder: root, commonFolder } = await openRepository(folder);
  const url = isAddress(name)
    ? name
    : await readGitSetting(join(commonFolder, "config"), `remote.${name}.url`);
  if (url === undefined) {
    const message = `Expected the git repository ${root} to have the remote \`${name}\`, from which workers get its files; it has none. Add one with \`git remote add ${name} URL\`, or name another in \`worker.remote\`.`;
    throw new CadreError("tool-unavailable", message);
  }
  return checkAddress(url, root);
}

function isAddress(name: string): boolean {
  return name.includes(":") || isAbsolute(name);
}

/** Refuses addresses that name a program, and folders of the project, whose hooks agents could have written. */
function checkAddress(url: string, root: string): RemoteAddress {
  const web = /^(https?|ssh):\/\/([^/@\s]*@)?([^/@\s]+\/.*)$/.exec(url);
  if (web !== null) {
    const [, protocol = "", user = "", rest = ""] = web;
    // The user of SSH is part of the address. Git does not accept a password there.
    const kept = protocol === "ssh" ? user.replace(/:.*@/, "@") : "";
    return { url, shared: `${protocol}://${kept}${rest}` };
  }
  if (/^[\w.-]+@[\w.-]+:[^\s-]/.test(url)) return { url, shared: url };
  const path = /^(?:file:\/\/)?(\.{0,2}\/.*)$/.exec(url)?.[1];
  if (path !== undefined) {
    const folder = realPathOf(resolve(root, path));
    if (!isInside(folder, root)) return { url: folder, shared: folder };
    const inside = `Expected a remote outside of ${root}; got ${folder}. Git would execute the hooks in it, which agents can write.`;
    throw new CadreError("invalid-argument", inside);
  }
  const message = `Expected the address of a git repository, such as https://host/name.git, ssh://host/name.git, user@host:name.git or a folder; got ${JSON.stringify(url)}.`;
  throw new CadreError("invalid-argument", message);
}
