export function createV2Agent(_: unknown): never {
  return undefined as never;
}
