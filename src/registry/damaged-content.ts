/** Thrown for a stored value that Cadre cannot have written. */
export class DamagedContent extends Error {}
