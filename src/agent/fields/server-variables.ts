/** The environment variables that a server's configuration refers to. */
export interface ServerVariables {
  names: Set<string>;
  /** The variables that have a default. */
  defaults: Set<string>;
  /** Returns a text with each reference converted to `${NAME}`. */
  replace(text: string): string;
  /** Rewrites every value. */
  replaceIn(values: Record<string, string>): Record<string, string>;
  /** Rewrites an environment. A variable that is only passed on has a name without a value. */
  replaceEnvironment(values: Record<string, string>): Record<string, string>;
}

/**
 * The forms of references to variables in programs' configurations: `${NAME}` and `${NAME:-default}` (Claude Code), `${env:NAME}`
 * (VS Code, Cursor), `{env:NAME}` (OpenCode), `${{ secrets.NAME }}`, `$NAME`, and a bare `COPILOT_MCP_NAME` (Copilot).
 */
const reference =
  /\$\{\{\s*(?:secrets|vars|env)\.([A-Za-z_]\w*)\s*\}\}|\$?\{(?:env:)([A-Za-z_]\w*)\}|\$\{([A-Za-z_]\w*)(:-[^}]*)?\}|\$([A-Za-z_]\w*)|^(COPILOT_MCP_\w+)$/g;

/** Collects the variables that texts refer to. */
export function createVariables(): ServerVariables {
  const names = new Set<string>();
  const defaults = new Set<string>();
  const replace = (text: string): string =>
    text.replaceAll(reference, (_, ...groups: (string | undefined)[]) => {
      const name = groups[0] ?? groups[1] ?? groups[2] ?? groups[4] ?? groups[5] ?? "";
      names.add(name);
      if (groups[3] !== undefined) defaults.add(name);
      return `\${${name}}`;
    });
  const replaceIn = (values: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, replace(value)]));
  return {
    names,
    defaults,
    replace,
    replaceIn,
    replaceEnvironment(values) {
      const replaced = Object.entries(replaceIn(values));
      return Object.fromEntries(replaced.filter(([key, value]) => value !== `\${${key}}`));
    },
  };
}
