/**
 * Returns the own property `name` of a table, or `undefined`. Use it for untrusted names: `constructor` does not find
 * the inherited property.
 */
export function ownValue<Value>(
  table: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
