/** What Cadre itself wrote to control files, by path: the SHA-256 of the content. Somebody was asked about each. */
const written = new Map<string, string>();

/** The files that were renamed into their places, while they were not there yet. */
const drafts = new Set<string>();

/**
 * Remembers that Cadre writes a control file, by way of the file `draft`, before it does: no command that runs meanwhile is
 * blamed for it.
 */
export function rememberOwnWrite(path: string, hash: string, draft: string): void {
  written.set(path, hash);
  drafts.add(draft);
}

/** Whether a file is, or was, a draft of Cadre's own: it comes and goes. */
export function isOwnDraft(path: string): boolean {
  return drafts.has(path);
}

/** The files below `folder`, or at it, that Cadre wrote. */
export function ownWritesBelow(folder: string): string[] {
  return [...written.keys()].filter((path) => path === folder || path.startsWith(`${folder}/`));
}

/** Whether a file is what Cadre wrote there. */
export function isOwnWrite(path: string, hash: string): boolean {
  return written.get(path) === hash;
}
