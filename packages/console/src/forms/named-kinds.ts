/** Types of records that rules, policies, segments and filters refer to by ID, and that have names. */
export const namedKinds = ['offer', 'creative', 'channel', 'category', 'subcategory', 'placement', 'segment'] as const;

export type NamedKind = (typeof namedKinds)[number];

export const isNamedKind = (kind: string): kind is NamedKind => namedKinds.some((each) => each === kind);
