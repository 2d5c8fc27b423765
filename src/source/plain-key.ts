/** A key without what people spell differently: case, `_` and `-`. */
export function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/g, "");
}
