/** The maximum size of a message, in bytes. Several images of a task fit into one message. */
export const maxMessageLength: number = 64 * 1024 * 1024;
