const flags: Readonly<Record<string, string>> = {
  mode: "--mode",
  model: "--model",
  parameters: "--param KEY=VALUE",
  sandbox: "--sandbox",
  trust: "--trust",
};

const option = new RegExp(
  String.raw`the option \`(${Object.keys(flags).join("|")})\`(?: set to \`([^\`]*)\`)?`,
  "g",
);

/** A message of the library, which names options of `createCadre` and of requests, with the flags that a command has for them. */
export function nameFlags(message: string): string {
  return message.replaceAll(option, (_, name: string, value: string | undefined) => {
    const flag = flags[name] ?? name;
    return value === undefined ? flag : `${flag} ${value}`;
  });
}
