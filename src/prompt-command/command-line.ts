/** A command as typed: `/name argument`. */
export interface CommandLine {
  name: string;
  /** Trimmed; may be empty. */
  argument: string;
}

const nameForm = String.raw`[\p{L}\p{N}_][\p{L}\p{N}_.:/-]*`;
const wholeName = new RegExp(`^${nameForm}$`, "u");
const line = new RegExp(String.raw`^/(${nameForm})(?:\s+([^]*))?$`, "u");

/** Reports whether a command with this name can be typed. */
export function isCommandName(name: string): boolean {
  return wholeName.test(name);
}

/**
 * Reads a text as a command; `undefined` for any other text. A command with the name may not exist, as for `/etc/hosts is wrong`.
 */
export function readCommandLine(text: string): CommandLine | undefined {
  const [, name, argument = ""] = line.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, argument: argument.trim() };
}
