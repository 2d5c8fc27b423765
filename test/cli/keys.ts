/** Returns the output of a terminal for Ctrl with a letter. */
export const ctrl = (key: string): string => String.fromCharCode(key.charCodeAt(0) - 96);

/** The output of a terminal for Esc, which is also the first character of other keys. */
export const escape = "\u001b";
