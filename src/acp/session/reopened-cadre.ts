import type { Cadre, PermissionMode } from "../../host.ts";

/** A Cadre that is opened again when its mode changes, because a request cannot raise it. */
export interface ReopenedCadre {
  /** Returns the Cadre with this mode. `isKept`: with the mode that it has, because a turn is in progress. */
  get(mode: PermissionMode | undefined, isKept: boolean): Promise<Cadre>;
  /** Closes it; a turn in progress is left for a resume. */
  close(): Promise<void>;
}

/** Creates it; nothing is opened yet. */
export function createReopenedCadre(
  open: (mode: PermissionMode | undefined) => Promise<Cadre>,
): ReopenedCadre {
  let current: { cadre: Promise<Cadre>; mode: PermissionMode | undefined } | undefined;
  const close = async (cadre: Promise<Cadre> | undefined): Promise<void> => {
    // The caller that opened it has reported the error.
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
