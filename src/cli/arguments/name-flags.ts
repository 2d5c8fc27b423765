const flags: Readonly<Record<string, string>> = {
  agent: "--agent",
  mode: "--mode",
  model: "--model",
  parameters: "--param KEY=VALUE",
  port: "--port",
  sandbox: "--sandbox",
  trust: "--trust",
};

const option = new RegExp(
  String.raw`the option \`(${Object.keys(flags).join("|")})\`(?: set to \`([^\`]*)\`)?`,
  "g",
);

/** Replaces option names of the library in a message with the flags of the command. */
export function nameFlags(message: string): string {
  return message.replaceAll(option, (_, name: string, value: string | undefined) => {
    const flag = flags[name] ?? name;
    return value === undefined ? flag : `${flag} ${value}`;
  });
}
