import { UsageError } from "../arguments/usage-error.ts";

/** Options that need the command to stay. */
interface Staying {
  interactive?: boolean;
  events?: boolean;
}

/** @throws UsageError for an option that does not go with `--bg`. */
export function checkBackground({ interactive, events }: Staying): void {
  const flag = interactive === true ? "--interactive" : events === true ? "--events" : undefined;
  if (flag === undefined) return;
  const other = flag === "--events" ? " `cadre events RUN --follow` shows the events." : "";
  throw new UsageError(`Expected --bg or ${flag}; got both.${other}`);
}
