const option = /the option `(mode|model|sandbox|trust)`(?: set to `([^`]*)`)?/g;

/** A message of the library, which names options, with the flags that the server is started with: a client has no options. */
export function nameServerFlags(message: string): string {
  return message.replaceAll(option, (_, name: string, value: string | undefined) => {
    const flag = value === undefined ? `--${name}` : `--${name} ${value}`;
    return `the flag \`${flag}\` of \`cadre mcp\``;
  });
}
