import type { SandboxConfig } from "../../config/config.ts";

/** Options of the sandbox. Defaults are those of the configuration. */
export type SandboxOptions = Partial<SandboxConfig>;
