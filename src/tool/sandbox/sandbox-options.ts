import type { SandboxConfig } from "../../config/config.ts";

/** How the sandbox is set up; what is left out is as in the default configuration. */
export type SandboxOptions = Partial<SandboxConfig>;
