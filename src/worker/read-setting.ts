import { z } from "zod";
import { CadreError } from "../errors.ts";
import type { WorkItem } from "../registry/work-table.ts";
import { closedObject } from "../source/closed-object.ts";

const schema = closedObject({
  cwd: z.string(),
  model: z.string().optional(),
  agentFiles: z.array(z.string()).optional(),
});

/** The options of a Cadre that a submission may name; rights are those of the worker. */
export type WorkSetting = z.infer<typeof schema>;

/**
 * Reads the setting of a submission, which another process wrote.
 *
 * @throws CadreError `config-invalid`.
 */
export function readSetting({ rootId, setting }: WorkItem): WorkSetting {
  const read = schema.safeParse(setting);
  if (read.success) return read.data;
  const message = `Expected the setting of the family ${rootId} to have \`cwd\`, and possibly \`model\` and \`agentFiles\`; got ${JSON.stringify(setting)}. A newer Cadre may have submitted it: update this worker.`;
  throw new CadreError("config-invalid", message);
}
