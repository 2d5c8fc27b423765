import { z } from "zod";
import type { DispatchSetting } from "../engine/engine.ts";
import { CadreError } from "../errors.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { WorkItem } from "../registry/work-table.ts";
import { closedObject } from "../source/closed-object.ts";

const given = closedObject({
  cwd: z.string(),
  model: z.string().optional(),
  agentFiles: z.array(z.string()).optional(),
});

/**
 * Reads the setting of a submission, which another process wrote.
 *
 * @throws CadreError `config-invalid`.
 */
export function readSetting({ rootId, setting }: WorkItem): DispatchSetting {
  const read = given.safeParse(setting);
  if (read.success) {
    const { cwd, ...rest } = read.data;
    return { cwd, ...omitUndefined(rest) };
  }
  const message = `Expected the setting of the family ${rootId} to have \`cwd\`, and possibly \`model\` and \`agentFiles\`; got ${JSON.stringify(setting)}. A newer Cadre may have submitted it: update this worker.`;
  throw new CadreError("config-invalid", message);
}
