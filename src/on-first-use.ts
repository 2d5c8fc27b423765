/**
 * Returns a function that returns the value of `create`. Only its first call calls `create`, so a process that never needs the value,
 * such as the schema of a rare request, starts without it.
 */
export function onFirstUse<Value extends object | string>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= create());
}
