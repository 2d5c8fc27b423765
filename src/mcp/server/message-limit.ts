/** The longest message, in bytes: several images of a task fit into one. */
export const longestMessage: number = 64 * 1024 * 1024;
