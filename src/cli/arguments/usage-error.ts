/** Misuse of the command. Not a `CadreError`, so that reporting it does not load the library. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
