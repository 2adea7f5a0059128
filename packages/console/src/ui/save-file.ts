/**
 * Lets the browser save a text as a file, into the folder of its downloads. Nothing leaves the browser. `name` is the file's
 * name with its ending; `type` its media type.
 */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the file over with the press; its memory is given back in the next task.
  setTimeout(() => URL.revokeObjectURL(address));
}

/** A file name of words: `Offers, active` of 23 November becomes `offers-active-2026-11-23.csv`. */
export function fileName(words: string, day: string, ending: string): string {
  const slug = words
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${slug.slice(0, 80) || 'arbiter'}-${day}.${ending}`;
}
