import Type, { type Static } from 'typebox';

/** What stands in the address of a flow: the version, the view, the node, the customer, the compared pair. */
export const FlowSearch = Type.Object({
  tab: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  view: Type.Optional(Type.String()),
  node: Type.Optional(Type.String()),
  customer: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  channel: Type.Optional(Type.String({ format: 'uuid' })),
  /** A recorded decision of the customer: its counts are shown instead of those of now. */
  decision: Type.Optional(Type.String({ format: 'uuid' })),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
});
export type FlowSearch = Partial<Static<typeof FlowSearch>>;

/** A change of it: undefined takes one out. */
export type FlowChange = { readonly [Name in keyof FlowSearch]?: FlowSearch[Name] | undefined };
