import { type ReferenceKind, readReference } from '@arbiter/packs';

/** Maps names of a pack's records to what other records store: the id, or the key for models. */
export type NamesOfPack = Readonly<Record<ReferenceKind | 'creative' | 'subcategory', Map<string, string>>>;

export const noNames = (): NamesOfPack => ({
  category: new Map(),
  channel: new Map(),
  creative: new Map(),
  decisionFlow: new Map(),
  journey: new Map(),
  metric: new Map(),
  model: new Map(),
  offer: new Map(),
  placement: new Map(),
  segment: new Map(),
  subcategory: new Map(),
});

/** Returns what a record's name stands for. Throws if the pack has no such record. */
export function named(names: ReadonlyMap<string, string>, name: string): string {
  const value = names.get(name);
  if (value === undefined) throw new Error(`the pack refers to ${name}, which it doesn't contain`);
  return value;
}

/** Returns the names that a scope of rules and policies refers to. */
export function namesOfScope(all: NamesOfPack, scope: string | undefined): ReadonlyMap<string, string> {
  const found = Object.entries(all).find(([word]) => word === scope)?.[1];
  if (found === undefined) throw new Error(`a pack can't target the scope ${scope}`);
  return found;
}

/** Returns a copy of a config with ids in place of the pack's names, in values and keys. */
export function resolveReferences<T>(all: NamesOfPack, config: T): T;
export function resolveReferences(all: NamesOfPack, config: unknown): unknown {
  if (typeof config === 'string') {
    const reference = readReference(config);
    return reference === null ? config : named(all[reference.kind], reference.name);
  }
  if (Array.isArray(config)) return config.map((each) => resolveReferences<unknown>(all, each));
  if (config === null || typeof config !== 'object') return config;
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [resolveReferences(all, key), resolveReferences<unknown>(all, value)]),
  );
}
