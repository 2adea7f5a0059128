/** True for a text that a mail program or a browser would read as HTML. */
export const isMarkup = (text: string): boolean => /<!doctype html|<\/?[a-z][a-z0-9-]*(\s[^<>]*)?\/?>/i.test(text);
