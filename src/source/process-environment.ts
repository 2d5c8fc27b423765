/** The variables of a process's environment. */
export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;
