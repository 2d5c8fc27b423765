/** Something wrong with the command itself. Not a `CadreError`, so that saying so needs no library. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
