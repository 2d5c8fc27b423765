/** The members that an object which implements a port must have, by name. */
export type Members<Port> = {
  readonly [Name in keyof Port & string as undefined extends Port[Name] ? never : Name]:
    | "function"
    | "text"
    | "object";
};

/** Returns the members that `value` lacks or has with another type; `null` when it is not an object. */
export function findMissing<Port>(value: unknown, members: Members<Port>): string[] | null {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return null;
  return Object.entries<"function" | "text" | "object">(members).flatMap(([name, kind]) => {
    const member: unknown = Reflect.get(value, name);
    return isOfKind(member, kind) ? [] : [`\`${name}\``];
  });
}

function isOfKind(member: unknown, kind: "function" | "text" | "object"): boolean {
  if (kind === "text") return typeof member === "string" && member !== "";
  return kind === "function"
    ? typeof member === "function"
    : typeof member === "object" && member !== null;
}
