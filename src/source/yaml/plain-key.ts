/** Normalizes a key: converts it to lower case and removes `_` and `-`. */
export function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/g, "");
}
