/** Kinds of records that rules, policies, segments and filters point at by an id, and that have a name to show. */
export const namedKinds = ['offer', 'creative', 'channel', 'category', 'subcategory', 'placement', 'segment'] as const;

export type NamedKind = (typeof namedKinds)[number];

export const isNamedKind = (kind: string): kind is NamedKind => namedKinds.some((each) => each === kind);
