/** The maximum size of a server's message, in bytes: enough for a few images. */
export const messageBytes: number = 16 * 1024 * 1024;

/** Describes a message that is too large, for error messages. */
export const tooLongMessage: string = `it sent a message of more than ${messageBytes / 1024 / 1024} MiB, the largest that is accepted`;
