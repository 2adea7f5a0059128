/** What has a camelCase `entityType`, by its three spellings: `subCategory`, `sub_category`, `sub-category`. */
export function bySpelling<T extends { readonly entityType: string }>(things: readonly T[]): ReadonlyMap<string, T> {
  return new Map(things.flatMap((thing) => spellings(thing.entityType).map((spelling) => [spelling, thing])));
}

function spellings(entityType: string): string[] {
  const joined = (mark: string) => entityType.replace(/[A-Z]/g, (letter) => `${mark}${letter.toLowerCase()}`);
  return [entityType, joined('_'), joined('-')];
}
