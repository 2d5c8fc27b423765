/** Misuse of the command. It is not a `CadreError`, so reporting it does not load the library. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
