/**
 * Returns a function that returns the value of `create`, which it calls the first time. What few processes need, such as the schema of
 * a rare request, is made this way so that others start without it.
 */
export function onFirstUse<Value extends object>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= create());
}
