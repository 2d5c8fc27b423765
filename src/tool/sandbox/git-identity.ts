import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Settings of the user's git configuration that commits need, and that contain no credentials. */
const kept: ReadonlySet<string> = new Set([
  "user.name",
  "user.email",
  "init.defaultbranch",
  "core.autocrlf",
]);

/**
 * Returns a git configuration for commands that replaces the system's: it includes the system's and adds the user's identity. The
 * user's own file stays hidden, because it may contain credentials. The settings of a repository take precedence.
 */
export async function readGitIdentity(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const words = ["config", "--global", "--includes", "--list", "-z"];
  const options = { env: environment as NodeJS.ProcessEnv, cwd: "/", timeout: 5000 };
  // Without git or a configuration, no settings are passed on.
  const listed = await promisify(execFile)("git", words, options).catch(() => ({ stdout: "" }));
  const settings = listed.stdout.split("\0").flatMap((entry) => {
    const at = entry.indexOf("\n");
    const [key, value] = [entry.slice(0, at), entry.slice(at + 1)];
    return kept.has(key) ? [toLines(key, value)] : [];
  });
  return `[include]\n\tpath = /etc/gitconfig\n${settings.join("")}`;
}

function toLines(key: string, value: string): string {
  const [section = "", name = ""] = key.split(".");
  const escaped = value.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll("\n", String.raw`\n`);
  return `[${section}]\n\t${name} = "${escaped}"\n`;
}
