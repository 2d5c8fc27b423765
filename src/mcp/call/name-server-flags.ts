const option = /the option `(mode|model|sandbox|trust)`(?: set to `([^`]*)`)?/g;

/** Replaces option names of the library in a message with the server's flags, because a client has no options. */
export function nameServerFlags(message: string): string {
  return message.replaceAll(option, (_, name: string, value: string | undefined) => {
    const flag = value === undefined ? `--${name}` : `--${name} ${value}`;
    return `the flag \`${flag}\` of \`cadre mcp\``;
  });
}
