import type { Cadre, PermissionMode } from "../../host.ts";

/** A Cadre that is opened again when its mode changes, because a request cannot raise the mode. */
export interface ReopenedCadre {
  /** Returns the Cadre with this mode. With `isKept` it keeps its current mode, because a turn is in progress. */
  get(mode: PermissionMode | undefined, isKept: boolean): Promise<Cadre>;
  /** Closes the Cadre. A turn in progress is left for a resume. */
  close(): Promise<void>;
}

/** Creates the wrapper without opening a Cadre. */
export function createReopenedCadre(
  open: (mode: PermissionMode | undefined) => Promise<Cadre>,
): ReopenedCadre {
  let current: { cadre: Promise<Cadre>; mode: PermissionMode | undefined } | undefined;
  const close = async (cadre: Promise<Cadre> | undefined): Promise<void> => {
    // The caller that opened it has already reported the error.
    await (await cadre?.catch(() => undefined))?.close({ leaveRuns: true });
  };
  return {
    async get(mode, isKept) {
      if (current !== undefined && (isKept || current.mode === mode)) return await current.cadre;
      const before = current;
      current = { cadre: open(mode), mode };
      await close(before?.cadre);
      return await current.cadre;
    },
    close: async () => await close(current?.cadre),
  };
}
