/** What Cadre itself wrote to control files, by path: the SHA-256 of the content. Somebody was asked about each. */
const written = new Map<string, string>();

/** Remembers that Cadre writes a control file, before it does: no command that runs meanwhile is blamed for it. */
export function rememberOwnWrite(path: string, hash: string): void {
  written.set(path, hash);
}

/** The files below `folder`, or at it, that Cadre wrote. */
export function ownWritesBelow(folder: string): string[] {
  return [...written.keys()].filter((path) => path === folder || path.startsWith(`${folder}/`));
}

/** Whether a file is what Cadre wrote there. */
export function isOwnWrite(path: string, hash: string): boolean {
  return written.get(path) === hash;
}
