/** Saves a text as a file through the browser. `name` is the file name with extension, `type` the media type. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The click starts the download; release the memory in the next task.
  setTimeout(() => URL.revokeObjectURL(address));
}

/** Returns a file name: `Offers, active` on 23 November becomes `offers-active-2026-11-23.csv`. */
export function fileName(words: string, day: string, ending: string): string {
  const slug = words
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${slug.slice(0, 80) || 'arbiter'}-${day}.${ending}`;
}
