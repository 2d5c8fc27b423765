/**
 * Describes an argument that names a run, in help and where it is missing. `what` says which runs it may name, such as `a failed
 * run`.
 */
export function describeRunArgument(what = "a run"): string {
  return `the id of ${what}, the part of it after the dash, or \`last\``;
}
