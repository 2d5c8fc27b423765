/** Adds `Read` to a list of tools with `Edit`, as in files, because an edit needs the file to have been read. */
export function withRead<Tools extends readonly string[] | undefined>(
  tools: Tools,
): Tools | readonly string[] {
  const isNeeded = tools?.includes("Edit") === true && !tools.includes("Read");
  return isNeeded ? [...tools, "Read"] : tools;
}
