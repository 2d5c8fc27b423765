import type { Style } from "../terminal/paint.ts";
import type { AgentDefinition } from "../../host.ts";

/** The styles of the colours that definitions name. Terminals have no orange and no pink. */
const styles: Readonly<Record<NonNullable<AgentDefinition["color"]>, Style>> = {
  red: "red",
  blue: "blue",
  green: "green",
  yellow: "yellow",
  purple: "magenta",
  orange: "yellowBright",
  pink: "magentaBright",
  cyan: "cyan",
};

/** Returns the style of an agent's name; `undefined` without a colour. */
export function styleOf({ color }: Pick<AgentDefinition, "color">): Style | undefined {
  // A custom format may give any text.
  return color !== undefined && Object.hasOwn(styles, color) ? styles[color] : undefined;
}

/** Returns the styles of agents by name. */
export function stylesOf(agents: readonly AgentDefinition[]): ReadonlyMap<string, Style> {
  return new Map(
    agents.flatMap((agent) => {
      const style = styleOf(agent);
      return style === undefined ? [] : [[agent.name, style]];
    }),
  );
}
