/** What facts are about (docs/design/api-decisioning.md 17); `figure`: a row of a report, or something computed from its rows. */
export const factKinds = [
  'decision',
  'flow',
  'funnel',
  'selected',
  'component',
  'model',
  'experiment',
  'blocked',
  'qualification',
  'policy',
  'suppression',
  'coupling',
  'mandatory',
  'degraded',
  'control_group',
  'figure',
] as const;
export type FactKind = (typeof factKinds)[number];

/** The record that a fact is about. `name` may be anything that a person typed, cleaned by `shownName`. */
export interface FactSubject {
  readonly type: string;
  readonly id: string | null;
  readonly name: string | null;
}

/** Something that is known. A narrative says nothing else. */
export interface Fact {
  /** f1, f2 and so on, in the order of the narrative. */
  readonly id: string;
  readonly kind: FactKind;
  readonly subject: FactSubject | null;
  /** The compared values, as stored. */
  readonly value: unknown;
  /** The same as a sentence, with every name in double quotation marks. */
  readonly text: string;
}

/** A fact before it has its place. */
export type FactDraft = Omit<Fact, 'id'>;

/** Numbers facts from f1. */
export const numberFacts = (drafts: readonly FactDraft[]): readonly Fact[] =>
  drafts.map((draft, at) => ({ id: `f${at + 1}`, ...draft }));

/** A sentence, and the ids of the facts that it states. */
export interface Sentence {
  readonly text: string;
  readonly facts: readonly string[];
}

/** What a narrative is for. */
export type NarrativeForm = 'regulator' | 'agent' | 'customer' | 'report';
