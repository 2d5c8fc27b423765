/** Normalizes a key: removes case, `_` and `-`. */
export function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/g, "");
}
