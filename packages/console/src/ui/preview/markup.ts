/** Whether an email client or a browser would read a text as HTML. */
export const isMarkup = (text: string): boolean => /<!doctype html|<\/?[a-z][a-z0-9-]*(\s[^<>]*)?\/?>/i.test(text);
