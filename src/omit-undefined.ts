/** An object whose undefined properties are absent. */
type Defined<Values> = { [Key in keyof Values]?: Exclude<Values[Key], undefined> };

/**
 * Returns the properties of `values` that are not undefined, to spread into an object with optional properties. Keeps `null` and
 * other empty values.
 */
export function omitUndefined<Values extends object>(values: Values): Defined<Values> {
  const defined: Defined<Values> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) defined[key] = value as Defined<Values>[typeof key];
  }
  return defined;
}
