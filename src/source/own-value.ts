/**
 * What a table has for a name that comes from outside; `undefined` when it has nothing. A name such as `constructor` does not find
 * what every object inherits.
 */
export function ownValue<Value>(
  table: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
