/** The SHA-256 of Cadre's own writes to control files, by path. Each of them had permission. */
const written = new Map<string, string>();

/** The temporary files of those writes. */
const drafts = new Set<string>();

/**
 * Records that Cadre is about to write a control file through the file `draft`, so that a command running at the same time is not
 * blamed for the change.
 */
export function rememberOwnWrite(path: string, hash: string, draft: string): void {
  written.set(path, hash);
  rememberDraft(draft);
}

/** Records that Cadre is about to make the temporary file `draft`. */
export function rememberDraft(draft: string): void {
  drafts.add(draft);
}

/** Reports whether a path is, or was, a temporary file of Cadre. */
export function isOwnDraft(path: string): boolean {
  return drafts.has(path);
}

/** Returns the files at or below `folder` that Cadre wrote. */
export function ownWritesBelow(folder: string): string[] {
  return [...written.keys()].filter((path) => path === folder || path.startsWith(`${folder}/`));
}

/** Reports whether a file has the content that Cadre wrote. */
export function isOwnWrite(path: string, hash: string): boolean {
  return written.get(path) === hash;
}
