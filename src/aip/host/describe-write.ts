import { type HostCall, stringArgument } from "./host-call.ts";
import { writablePath } from "./resolve-path.ts";

/** Creates the `act` of a call that writes the path in the argument at `index`. */
export function describeWrite(index: number): NonNullable<HostCall["act"]> {
  return async (args, context) => ({
    kind: "write",
    subject: await writablePath(stringArgument(args, index), context),
  });
}
