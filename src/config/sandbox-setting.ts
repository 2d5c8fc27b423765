import { z } from "zod";

const domain = z
  .string()
  .regex(
    /^(?:\*\.)?[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i,
    "a domain such as example.com or *.example.com is expected, without https:// and without a port",
  );

/** What commands reach of the network. */
export const networkSetting: z.ZodType = z.union([
  z.boolean(),
  z.strictObject({ allow: z.array(domain).min(1) }),
]);

/** A short way to write a group of settings, by the group: which setting of it a single text means. */
export const shortForms: Readonly<Record<string, string>> = { sandbox: "mode" };
