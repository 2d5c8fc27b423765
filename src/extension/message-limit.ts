/** The largest message of a server that is taken, in bytes: room for a few images. */
export const messageBytes: number = 16 * 1024 * 1024;
