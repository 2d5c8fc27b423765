import { z } from "zod";

const domain = (): z.ZodString =>
  z
    .string()
    .regex(
      /^(?:\*\.)?[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i,
      "a domain such as example.com or *.example.com is expected, without https:// and without a port",
    );

/** Creates the schema of the network access of commands. */
export const networkSetting = (): z.ZodType =>
  z.union([z.boolean(), z.strictObject({ allow: z.array(domain()).min(1) })]);

/** For each group that accepts a string, the setting that the string sets. */
export const shortForms: Readonly<Record<string, string>> = { sandbox: "mode" };
