import Type, { type Static } from 'typebox';

/** The address of a flow: version, view, node, customer, compared versions. */
export const FlowSearch = Type.Object({
  tab: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  view: Type.Optional(Type.String()),
  node: Type.Optional(Type.String()),
  customer: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  channel: Type.Optional(Type.String({ format: 'uuid' })),
  /** In the editor, what the draft is tried with: `segment` or `pinned`; otherwise one customer. */
  trial: Type.Optional(Type.String()),
  /** A segment whose customers the nodes count, instead of one customer. */
  segment: Type.Optional(Type.String({ format: 'uuid' })),
  /** A recorded decision of the customer, to show its counts instead of a new simulation's. */
  decision: Type.Optional(Type.String({ format: 'uuid' })),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
});
export type FlowSearch = Partial<Static<typeof FlowSearch>>;

/** A change of the address; undefined removes a parameter. */
export type FlowChange = { readonly [Name in keyof FlowSearch]?: FlowSearch[Name] | undefined };
